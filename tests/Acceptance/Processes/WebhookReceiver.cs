using System.Collections.Concurrent;
using System.Net;
using System.Text.Json;
using Jackdaw.Brokers;

namespace Jackdaw.Acceptance.Processes;

/// <summary>An HTTP endpoint in the test's process that keeps every event it was sent, in the order of arrival. Outlives the
/// servers that send to it.</summary>
internal sealed class WebhookReceiver : IAsyncDisposable
{
    private readonly HttpEndpoint _endpoint;
    private readonly Func<JsonElement, int> _status;

    /// <param name="status">What to answer to an event; null: 200 always.</param>
    public WebhookReceiver(Func<JsonElement, int>? status = null)
    {
        _status = status ?? (_ => 200);
        _endpoint = new HttpEndpoint(ReceiveAsync, "hook/");
    }

    public string Url => _endpoint.Url.ToString();

    /// <summary>Every event that was answered with 200, copies included.</summary>
    public ConcurrentQueue<JsonElement> Events { get; } = [];

    /// <summary>The documents of <see cref="Events"/>, each once.</summary>
    public HashSet<string> Subjects() => [.. Events.Select(e => e.GetProperty("subject").GetString()!)];

    public ValueTask DisposeAsync() => _endpoint.DisposeAsync();

    private Task ReceiveAsync(HttpListenerContext context, byte[] body)
    {
        try
        {
            using var parsed = JsonDocument.Parse(body);
            var received = parsed.RootElement.Clone();
            context.Response.StatusCode = _status(received);
            if (context.Response.StatusCode == 200)
                Events.Enqueue(received);
        }
        catch (JsonException)
        {
            // The server was killed in the middle of its request.
            context.Response.Abort();
        }
        return Task.CompletedTask;
    }
}
