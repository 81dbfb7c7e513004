using System.Runtime.CompilerServices;
using Akka.Persistence.Jackdaw.Connections;
using Akka.Persistence.Query;
using Jackdaw.EventStreams.Client;
using Jackdaw.EventStreams.Client.Reading;

namespace Akka.Persistence.Jackdaw.Query;

/// <summary>
/// Reads events page by page: a page is asked for when the one before has been taken. Live queries wait for a server that is away;
/// current ones fail.
/// </summary>
internal sealed class EventPages(SharedClient shared, QuerySettings settings, EventEnvelopes envelopes, Outages outages)
{
    private EventStreamsClient Client => shared.Client;

    /// <summary>All events after a position, or those with a tag; up to what is durable at the first read, or also what comes.</summary>
    public async IAsyncEnumerable<EventEnvelope> ByPositionAsync(
        string? tag,
        long after,
        bool isLive,
        [EnumeratorCancellation] CancellationToken cancel = default
    )
    {
        await shared.Ready.WaitAsync(cancel);
        using var follower =
            !isLive ? null
            : tag is null ? Client.Wakeups.Follow()
            : Client.Wakeups.FollowTags([tag]);
        var upTo = long.MaxValue;
        while (true)
        {
            var mark = follower?.Mark() ?? 0;
            var page = await ReadAsync(() => ReadAsync(tag, after, upTo, cancel), isLive, cancel);
            if (!isLive)
                upTo = Math.Min(upTo, page.Durable);
            foreach (var stored in page.Events)
            {
                if (stored.Position > upTo)
                    yield break;
                foreach (var envelope in envelopes.Of(stored))
                    yield return envelope;
                after = stored.Position;
            }
            if (!page.IsEnd)
                continue;
            if (follower is null)
                yield break;
            await follower.WaitAsync(mark, settings.RefreshInterval, cancel);
        }
    }

    /// <summary>The events of a stream by number: up to the highest one at the start, or also those that come, until the last number
    /// that is wanted.</summary>
    public async IAsyncEnumerable<EventEnvelope> OfStreamAsync(
        string stream,
        long from,
        long to,
        bool isLive,
        [EnumeratorCancellation] CancellationToken cancel = default
    )
    {
        await shared.Ready.WaitAsync(cancel);
        using var follower = isLive ? Client.Wakeups.FollowStream(stream) : null;
        if (!isLive)
            to = Math.Min(to, await HighestAsync(stream, cancel));
        for (from = Math.Max(from, 1); from <= to; )
        {
            var mark = follower?.Mark() ?? 0;
            // Before the page is read: then the page has everything that is to come. The last number itself may be a gap, or deleted.
            var isLastPart = !isLive || (to < long.MaxValue && await ReadAsync(() => HighestAsync(stream, cancel), isLive, cancel) >= to);
            var next = from;
            var page = await ReadAsync(() => Client.ReadPageAsync(stream, next, to, settings.PageSize, cancel), isLive, cancel);
            foreach (var stored in page.Events)
            {
                foreach (var envelope in envelopes.Of(stored))
                    yield return envelope;
                if (stored.Number == to)
                    yield break;
                from = stored.Number + 1;
            }
            if (!page.IsEnd)
                continue;
            if (isLastPart)
                yield break;
            await follower!.WaitAsync(mark, settings.RefreshInterval, cancel);
        }
    }

    private async Task<long> HighestAsync(string stream, CancellationToken cancel) =>
        (await Client.HighestAsync(stream, Client.Begin(), cancel)).Highest;

    private Task<EventPage> ReadAsync(string? tag, long after, long upTo, CancellationToken cancel) =>
        tag is null
            ? Client.ReadAllAsync(after, upTo, settings.PageSize, cancel)
            : Client.ReadTaggedAsync([tag], after, upTo, settings.PageSize, cancel);

    private Task<T> ReadAsync<T>(Func<Task<T>> read, bool isLive, CancellationToken cancel) =>
        isLive ? outages.OutlastAsync(read, cancel) : read();
}
