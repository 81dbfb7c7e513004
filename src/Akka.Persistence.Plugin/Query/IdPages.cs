using System.Runtime.CompilerServices;
using Akka.Persistence.Jackdaw.Connections;

namespace Akka.Persistence.Jackdaw.Query;

/// <summary>Reads persistence ids page by page, in the order of their first events: each comes once.</summary>
internal sealed class IdPages(SharedClient client, QuerySettings settings, Outages outages)
{
    private const int MaxUncountedPage = 10_000;

    /// <summary>All ids, and those that come.</summary>
    public async IAsyncEnumerable<string> LiveAsync([EnumeratorCancellation] CancellationToken cancel = default)
    {
        await client.Ready.WaitAsync(cancel);
        using var following = client.Client.Wakeups.Follow();
        for (long after = 0; ; )
        {
            var mark = following.Mark();
            var from = after;
            var page = await outages.OutlastAsync(() => client.Client.StreamsAsync(from, settings.PageSize, cancel), cancel);
            foreach (var id in page.Streams)
                yield return id;
            after = page.Next;
            if (page.IsEnd)
                await following.WaitAsync(mark, settings.RefreshInterval, cancel);
        }
    }

    /// <summary>All ids that are there at the start.</summary>
    public async IAsyncEnumerable<string> CurrentAsync([EnumeratorCancellation] CancellationToken cancel = default)
    {
        await client.Ready.WaitAsync(cancel);
        var end = await EndAsync(cancel);
        for (long after = 0; after < end; )
        {
            // Places count up by one, so no page goes beyond the end.
            var page = await client.Client.StreamsAsync(after, (int)Math.Min(settings.PageSize, end - after), cancel);
            foreach (var id in page.Streams)
                yield return id;
            if (page.Next == after)
                yield break;
            after = page.Next;
        }
    }

    /// <summary>Finds the place of the last id, without keeping any: there may be millions.</summary>
    private async Task<long> EndAsync(CancellationToken cancel)
    {
        for (long after = 0; ; )
        {
            var page = await client.Client.StreamsAsync(after, MaxUncountedPage, cancel);
            after = page.Next;
            if (page.IsEnd)
                return after;
        }
    }
}
