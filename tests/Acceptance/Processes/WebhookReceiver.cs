using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Text.Json;

namespace Jackdaw.Acceptance.Processes;

/// <summary>An HTTP endpoint in the test's process that keeps every event it was sent, in the order of arrival. Outlives the servers that send to it.</summary>
internal sealed class WebhookReceiver : IAsyncDisposable
{
    private readonly HttpListener _listener = new();
    private readonly Func<JsonElement, int> _status;
    private readonly Task _loop;

    /// <param name="status">What to answer to an event; null: 200 always.</param>
    public WebhookReceiver(Func<JsonElement, int>? status = null)
    {
        _status = status ?? (_ => 200);
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

    /// <summary>Every event that was answered with 200, copies included.</summary>
    public ConcurrentQueue<JsonElement> Events { get; } = [];

    /// <summary>The documents of <see cref="Events"/>, each once.</summary>
    public HashSet<string> Subjects() => [.. Events.Select(e => e.GetProperty("subject").GetString()!)];

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
        try
        {
            using var body = await JsonDocument.ParseAsync(context.Request.InputStream);
            var received = body.RootElement.Clone();
            context.Response.StatusCode = _status(received);
            if (context.Response.StatusCode == 200)
                Events.Enqueue(received);
            context.Response.Close();
        }
        catch (Exception e) when (e is HttpListenerException or ObjectDisposedException or IOException or JsonException)
        {
            // The server was killed in the middle of its request, or of waiting for the answer.
        }
    }
}
