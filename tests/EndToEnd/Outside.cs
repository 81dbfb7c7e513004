using System.Collections.Concurrent;
using System.Text.Json;
using Jackdaw.Brokers;

namespace Jackdaw.EndToEnd;

/// <summary>Where the outbox is sent to. It acts on each request, and fails now and then all the same: its answer is lost.</summary>
internal sealed class Outside : IAsyncDisposable
{
    private readonly HttpEndpoint _endpoint;
    private readonly ConcurrentDictionary<string, bool> _accepted = [];
    private int _requests;

    /// <param name="fails">Whether the request with this number is answered with 500.</param>
    public Outside(Func<int, bool> fails) =>
        _endpoint = new HttpEndpoint(
            (context, body) =>
            {
                var number = Interlocked.Increment(ref _requests);
                var id = context.Request.Headers["webhook-id"]!;
                Notices.Enqueue((id, JsonSerializer.Deserialize<JsonElement>(body)));
                if (fails(number))
                    context.Response.StatusCode = 500;
                else
                    _accepted[id] = true;
                return Task.CompletedTask;
            },
            "outside/"
        );

    public Uri Url => _endpoint.Url;

    /// <summary>Everything that came, repetitions among it.</summary>
    public ConcurrentQueue<(string WebhookId, JsonElement Event)> Notices { get; } = [];

    /// <summary>An effect that came and was never answered but with 500; null: there is none.</summary>
    public string? Unaccepted => Notices.Select(notice => notice.WebhookId).FirstOrDefault(id => !_accepted.ContainsKey(id));

    public ValueTask DisposeAsync() => _endpoint.DisposeAsync();
}
