using System.Collections.Concurrent;
using System.Text.Json;
using System.Xml.Linq;

namespace Jackdaw.Etl.Tests.AzureQueues;

/// <summary>On the way to the network: watches that no two messages of one key are on the way together, and in which order each
/// key's are sent.</summary>
internal sealed class KeyWatch() : DelegatingHandler(new SocketsHttpHandler())
{
    private readonly ConcurrentDictionary<string, bool> _busy = new();
    private int _onTheWay;

    /// <summary>Etags by key, in the order of sending; tries that were not answered too.</summary>
    public ConcurrentDictionary<string, ConcurrentQueue<long>> Etags { get; } = new();

    public int Collisions;

    public int MostAtOnce;

    /// <summary>Called before a message goes on; it may throw instead of the network.</summary>
    public Func<JsonElement, Task>? Sending { get; set; }

    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        if (request.Method != HttpMethod.Post || request.Content is null)
            return await base.SendAsync(request, cancellationToken);
        string text = XDocument.Parse(await request.Content.ReadAsStringAsync(cancellationToken)).Root!.Element("MessageText")!.Value;
        var sent = JsonDocument.Parse(Convert.FromBase64String(text)).RootElement;
        string key = sent.GetProperty("partitionkey").GetString()!;
        Etags.GetOrAdd(key, _ => []).Enqueue(long.Parse(sent.GetProperty("etag").GetString()!));
        if (!_busy.TryAdd(key, true))
            Interlocked.Increment(ref Collisions);
        int now = Interlocked.Increment(ref _onTheWay);
        lock (_busy)
            MostAtOnce = Math.Max(MostAtOnce, now);
        try
        {
            if (Sending is { } sending)
                await sending(sent);
            return await base.SendAsync(request, cancellationToken);
        }
        finally
        {
            Interlocked.Decrement(ref _onTheWay);
            _busy.TryRemove(key, out _);
        }
    }
}
