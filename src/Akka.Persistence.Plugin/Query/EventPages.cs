using System.Runtime.CompilerServices;
using Akka.Persistence.Jackdaw.Connections;
using Akka.Persistence.Query;
using Jackdaw.EventStreams.Client.Reading;

namespace Akka.Persistence.Jackdaw.Query;

/// <summary>Reads events page by page: a page is asked for when the one before has been taken.</summary>
internal sealed class EventPages(SharedClient client, QuerySettings settings, EventEnvelopes envelopes)
{
    /// <summary>All events after a position, or those with a tag; and what comes.</summary>
    public async IAsyncEnumerable<EventEnvelope> LiveAsync(
        string? tag,
        long after,
        [EnumeratorCancellation] CancellationToken cancel = default
    )
    {
        await client.Ready.WaitAsync(cancel);
        using var following = client.Client.Wakeups.Follow();
        while (true)
        {
            var mark = client.Client.Wakeups.Mark();
            var page = await ReadAsync(tag, after, long.MaxValue, cancel);
            foreach (var stored in page.Events)
            {
                foreach (var envelope in envelopes.Of(stored))
                    yield return envelope;
                after = stored.Position;
            }
            if (page.IsEnd)
                await client.Client.Wakeups.WaitAsync(mark, settings.RefreshInterval, cancel);
        }
    }

    /// <summary>All events after a position, or those with a tag, up to what is durable at the first read.</summary>
    public async IAsyncEnumerable<EventEnvelope> CurrentAsync(
        string? tag,
        long after,
        [EnumeratorCancellation] CancellationToken cancel = default
    )
    {
        await client.Ready.WaitAsync(cancel);
        var upTo = long.MaxValue;
        while (true)
        {
            var page = await ReadAsync(tag, after, upTo, cancel);
            upTo = Math.Min(upTo, page.Durable);
            foreach (var stored in page.Events)
            {
                if (stored.Position > upTo)
                    yield break;
                foreach (var envelope in envelopes.Of(stored))
                    yield return envelope;
                after = stored.Position;
            }
            if (page.IsEnd)
                yield break;
        }
    }

    /// <summary>The events of a stream by number, and those that come, until the last number that is wanted.</summary>
    public async IAsyncEnumerable<EventEnvelope> LiveAsync(
        string stream,
        long from,
        long to,
        [EnumeratorCancellation] CancellationToken cancel = default
    )
    {
        await client.Ready.WaitAsync(cancel);
        using var following = client.Client.Wakeups.Follow();
        for (from = Math.Max(from, 1); from <= to; )
        {
            var mark = client.Client.Wakeups.Mark();
            // Before the page is read: then the page has everything that is to come. The last number itself may be a gap, or deleted.
            var isLastPart = to < long.MaxValue && (await client.Client.HighestAsync(stream, client.Client.Begin(), cancel)).Highest >= to;
            var page = await client.Client.ReadPageAsync(stream, from, to, settings.PageSize, cancel);
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
            await client.Client.Wakeups.WaitAsync(mark, settings.RefreshInterval, cancel);
        }
    }

    /// <summary>The events of a stream by number, up to the highest one at the start.</summary>
    public async IAsyncEnumerable<EventEnvelope> CurrentAsync(
        string stream,
        long from,
        long to,
        [EnumeratorCancellation] CancellationToken cancel = default
    )
    {
        await client.Ready.WaitAsync(cancel);
        to = Math.Min(to, (await client.Client.HighestAsync(stream, client.Client.Begin(), cancel)).Highest);
        for (from = Math.Max(from, 1); from <= to; )
        {
            var page = await client.Client.ReadPageAsync(stream, from, to, settings.PageSize, cancel);
            foreach (var stored in page.Events)
            {
                foreach (var envelope in envelopes.Of(stored))
                    yield return envelope;
                if (stored.Number == to)
                    yield break;
                from = stored.Number + 1;
            }
            if (page.IsEnd)
                yield break;
        }
    }

    private Task<EventPage> ReadAsync(string? tag, long after, long upTo, CancellationToken cancel) =>
        tag is null
            ? client.Client.ReadAllAsync(after, upTo, settings.PageSize, cancel)
            : client.Client.ReadTaggedAsync([tag], after, upTo, settings.PageSize, cancel);
}
