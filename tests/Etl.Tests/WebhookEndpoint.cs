using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace Jackdaw.Etl.Tests;

/// <summary>A real HTTP server in the test's process. Every request is recorded before it is answered.</summary>
internal sealed class WebhookEndpoint : IAsyncDisposable
{
    private readonly HttpListener _listener = new();
    private readonly Func<WebhookRequest, HttpListenerContext, Task> _answer;
    private readonly Task _loop;

    /// <param name="answer">Sets the status and what else; closing the response is done for it. It may abort instead.</param>
    public WebhookEndpoint(Func<WebhookRequest, HttpListenerContext, Task> answer)
    {
        _answer = answer;
        using (var probe = new TcpListener(IPAddress.Loopback, 0))
        {
            probe.Start();
            Url = $"http://127.0.0.1:{((IPEndPoint)probe.LocalEndpoint).Port}/hook/";
        }
        _listener.Prefixes.Add(Url);
        _listener.Start();
        _loop = Task.Run(RunAsync);
    }

    public string Url { get; }

    public ConcurrentQueue<WebhookRequest> Requests { get; } = [];

    public async ValueTask DisposeAsync()
    {
        _listener.Stop();
        await _loop;
        _listener.Close();
    }

    private async Task RunAsync()
    {
        while (true)
        {
            HttpListenerContext context;
            try
            {
                context = await _listener.GetContextAsync();
            }
            catch (Exception e) when (e is HttpListenerException or ObjectDisposedException or InvalidOperationException)
            {
                return;
            }
            _ = AnswerAsync(context);
        }
    }

    private async Task AnswerAsync(HttpListenerContext context)
    {
        using var body = new MemoryStream();
        await context.Request.InputStream.CopyToAsync(body);
        var request = new WebhookRequest(context.Request.Url!.AbsolutePath, context.Request.ContentType ?? "", context.Request.Headers, body.ToArray());
        Requests.Enqueue(request);
        try
        {
            await _answer(request, context);
            context.Response.Close();
        }
        catch (Exception e) when (e is HttpListenerException or ObjectDisposedException or InvalidOperationException or IOException)
        {
            // The sender has gone, or the answer was to cut it.
        }
    }
}
