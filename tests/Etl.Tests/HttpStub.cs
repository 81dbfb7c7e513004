using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Jackdaw.Etl.Tests;

/// <summary>A real HTTP server in the test's process that answers as the test says. Every request is recorded before it is answered.</summary>
internal sealed class HttpStub : IAsyncDisposable
{
    private readonly HttpListener _listener = new();
    private readonly Func<HttpListenerRequest, string, HttpListenerResponse, Task> _answer;
    private readonly Task _loop;

    /// <param name="answer">Gets the request and its body; sets what is to be said. Closing the response is done for it.</param>
    public HttpStub(Func<HttpListenerRequest, string, HttpListenerResponse, Task> answer)
    {
        _answer = answer;
        using (var probe = new TcpListener(IPAddress.Loopback, 0))
        {
            probe.Start();
            Url = new Uri($"http://127.0.0.1:{((IPEndPoint)probe.LocalEndpoint).Port}/");
        }
        _listener.Prefixes.Add(Url.ToString());
        _listener.Start();
        _loop = Task.Run(RunAsync);
    }

    public Uri Url { get; }

    /// <summary>Method, path with query, and body of each.</summary>
    public ConcurrentQueue<(string Method, string Path, string Body)> Requests { get; } = [];

    /// <summary>Says something with a status.</summary>
    public static async Task SayAsync(HttpListenerResponse response, int status, string body, string contentType = "application/json")
    {
        response.StatusCode = status;
        response.ContentType = contentType;
        await response.OutputStream.WriteAsync(Encoding.UTF8.GetBytes(body));
    }

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
        using var reader = new StreamReader(context.Request.InputStream, Encoding.UTF8);
        string body = await reader.ReadToEndAsync();
        Requests.Enqueue((context.Request.HttpMethod, context.Request.Url!.PathAndQuery, body));
        try
        {
            await _answer(context.Request, body, context.Response);
            context.Response.Close();
        }
        catch (Exception e) when (e is HttpListenerException or ObjectDisposedException or InvalidOperationException or IOException)
        {
            // The sender has gone.
        }
    }
}
