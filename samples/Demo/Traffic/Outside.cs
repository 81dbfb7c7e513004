using System.Collections.Concurrent;
using System.Net;
using System.Text.Json;
using Jackdaw.Brokers;

namespace Jackdaw.Demo.Traffic;

/// <summary>The outside world: an endpoint that the outbox task of the read model sends notices to.</summary>
internal sealed class Outside : IAsyncDisposable
{
    private readonly HttpEndpoint _endpoint;
    private readonly Screen _screen;

    /// <summary>By webhook-id: a notice that comes again has the same one.</summary>
    private readonly ConcurrentDictionary<string, (string Account, long Number)> _notices = [];

    public Outside(Screen screen)
    {
        _screen = screen;
        _endpoint = new HttpEndpoint(ReceiveAsync, "notices/");
    }

    public Uri Url => _endpoint.Url;

    /// <summary>Whether the notice about an event has come.</summary>
    public bool Knows((string Account, long Number) notice) => _notices.Values.Contains(notice);

    public ValueTask DisposeAsync() => _endpoint.DisposeAsync();

    private Task ReceiveAsync(HttpListenerContext context, byte[] body)
    {
        try
        {
            using var notice = JsonDocument.Parse(body);
            var data = notice.RootElement.GetProperty("data");
            var (account, number) = (data.GetProperty("Account").GetString()!, data.GetProperty("Number").GetInt64());
            if (_notices.TryAdd(context.Request.Headers["webhook-id"] ?? "", (account, number)))
                _screen.Say("webhook", $"{notice.RootElement.GetProperty("type").GetString()} {data.GetRawText()}");
        }
        catch (Exception e) when (e is JsonException or KeyNotFoundException or InvalidOperationException)
        {
            // The task keeps it as a dead letter that says so.
            context.Response.StatusCode = (int)HttpStatusCode.BadRequest;
        }
        return Task.CompletedTask;
    }
}
