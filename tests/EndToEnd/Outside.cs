using System.Collections.Concurrent;
using System.Text.Json;
using Jackdaw.Brokers;

namespace Jackdaw.EndToEnd;

/// <summary>Where the outbox is sent to. It acts on each request, and fails now and then all the same: its answer is lost.</summary>
internal sealed class Outside : IAsyncDisposable
{
    private readonly HttpEndpoint _endpoint;
    private int _requests;

    /// <param name="fails">Whether the request with this number is answered with 500.</param>
    public Outside(Func<int, bool> fails) =>
        _endpoint = new HttpEndpoint(
            (context, body) =>
            {
                var number = Interlocked.Increment(ref _requests);
                Notices.Enqueue((context.Request.Headers["webhook-id"]!, JsonSerializer.Deserialize<JsonElement>(body)));
                if (fails(number))
                    context.Response.StatusCode = 500;
                return Task.CompletedTask;
            },
            "outside/"
        );

    public Uri Url => _endpoint.Url;

    /// <summary>Everything that came, repetitions among it.</summary>
    public ConcurrentQueue<(string WebhookId, JsonElement Event)> Notices { get; } = [];

    public ValueTask DisposeAsync() => _endpoint.DisposeAsync();
}
