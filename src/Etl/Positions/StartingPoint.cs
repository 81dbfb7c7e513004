using Jackdaw.Documents;
using Jackdaw.Documents.Reading;
using Jackdaw.Etl.Configuration;
using Jackdaw.Storage;

namespace Jackdaw.Etl.Positions;

/// <summary>From which etag a transform goes on; see the table in docs/etl.md, "Positions".</summary>
internal static class StartingPoint
{
    /// <summary>Throws <see cref="ForeignPositionException"/>.</summary>
    /// <param name="stored">Null when there is none.</param>
    /// <param name="transform">The transform.</param>
    /// <param name="reader">The database now.</param>
    /// <param name="databaseId">Its id.</param>
    /// <param name="history">What it is a copy of.</param>
    public static long Resolve(
        TaskPosition? stored,
        TransformConfiguration transform,
        DocumentsReader reader,
        Guid databaseId,
        IReadOnlyList<DatabaseAncestor> history
    )
    {
        long last = reader.LastEtag;
        if (stored is not { } position)
            return First(transform, reader, last);
        if (position.DatabaseId == databaseId)
            return position.Etag <= last ? position.Etag : throw new ForeignPositionException(transform.Name, position, databaseId, last);
        foreach (var ancestor in history)
        {
            if (ancestor.DatabaseId == position.DatabaseId)
                return Math.Min(position.Etag, ancestor.ForkEtag);
        }
        throw new ForeignPositionException(transform.Name, position, databaseId, last);
    }

    private static long First(TransformConfiguration transform, DocumentsReader reader, long last)
    {
        var start = transform.Start;
        if (start.IsNow)
            return last;
        if (start.Since is { } since)
            return BeforeFirstSince(since.Ticks, after => Changes(transform, reader, after), last);
        return Math.Min(start.AfterEtag, last);
    }

    /// <summary>Events are no changes of all documents; who reads them looks for the date among its own collections.</summary>
    private static ChangeCursor Changes(TransformConfiguration transform, DocumentsReader reader, long afterEtag) =>
        transform.ReadsEvents ? reader.Changes(transform.Collections, afterEtag) : reader.Changes(afterEtag);

    /// <summary>The highest etag with nothing at or after the moment at or below it: bisection, for dates grow with etags as long
    /// as no clock goes back.</summary>
    private static long BeforeFirstSince(long ticks, Func<long, ChangeCursor> changes, long last)
    {
        long low = 0;
        long high = last;
        // All changes up to low are older; those above high are not (or there are none).
        while (low < high)
        {
            long middle = low + ((high - low) / 2);
            var next = changes(middle);
            if (!next.MoveNext())
            {
                high = middle;
                continue;
            }
            var change = next.Current;
            bool isOlder = (change.IsTombstone ? change.Tombstone.LastModifiedTicks : change.Document.LastModifiedTicks) < ticks;
            if (isOlder)
                low = Math.Min(change.Etag, last);
            else
                high = middle;
        }
        Invariant.Require(low <= last);
        return low;
    }
}
