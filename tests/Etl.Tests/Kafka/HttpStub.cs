using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Jackdaw.Etl.Tests.Kafka;

/// <summary>Answers each GET of <see cref="Url"/> as a test says.</summary>
internal sealed class HttpStub : IAsyncDisposable
{
    private readonly HttpListener _listener = new();
    private readonly Task _answering;

    public HttpStub(Func<HttpListenerRequest, (int Status, string Body)> answer)
    {
        using (var probe = new TcpListener(IPAddress.Loopback, 0))
        {
            probe.Start();
            Url = $"http://127.0.0.1:{((IPEndPoint)probe.LocalEndpoint).Port}/token";
        }
        _listener.Prefixes.Add(Url[..^"token".Length]);
        _listener.Start();
        _answering = AnswerAsync(answer);
    }

    public string Url { get; }

    private async Task AnswerAsync(Func<HttpListenerRequest, (int Status, string Body)> answer)
    {
        while (true)
        {
            HttpListenerContext context;
            try
            {
                context = await _listener.GetContextAsync();
            }
            catch (Exception e) when (e is HttpListenerException or ObjectDisposedException)
            {
                return;
            }
            var (status, body) = answer(context.Request);
            context.Response.StatusCode = status;
            await context.Response.OutputStream.WriteAsync(Encoding.UTF8.GetBytes(body));
            context.Response.Close();
        }
    }

    public async ValueTask DisposeAsync()
    {
        _listener.Close();
        await _answering;
    }
}
