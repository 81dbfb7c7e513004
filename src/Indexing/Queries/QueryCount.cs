using Jackdaw.Documents.Reading;

namespace Jackdaw.Indexing.Queries;

/// <summary>
/// Counts all matches of a plan, whatever it passes over or leaves out, over as many readers as it takes. That costs nothing for a whole
/// collection or all documents; else each id is looked up, or a scan goes over the ids that begin with the prefix. A count that took
/// several readers is of several moments: each document that was there all the while is counted once.
/// </summary>
public sealed class QueryCount
{
    private readonly QueryPlan _plan;

    private QueryPosition? _position;

    /// <param name="plan">What is counted.</param>
    public QueryCount(QueryPlan plan)
    {
        ArgumentNullException.ThrowIfNull(plan);
        // The order that costs least; ids are located in the order of their results, which are read from there.
        var order = plan.Source switch
        {
            QuerySourceKind.IdPrefix => QueryOrder.IdAscending,
            QuerySourceKind.Everything => QueryOrder.EtagAscending,
            _ => plan.Order,
        };
        _plan = plan with { Skip = 0, Take = null, Order = order };
    }

    /// <summary>The number of matches, once <see cref="Continue(DocumentsReader)"/> has returned true.</summary>
    public long Total { get; private set; }

    /// <summary>From where to read the results: what was located by counting need not be located again. Null for the beginning.</summary>
    public QueryPosition? Results { get; private set; }

    /// <summary>Goes on counting; false when the reader is due to end before everything is counted.</summary>
    public bool Continue(DocumentsReader reader) => Continue(new ReaderSource(reader));

    internal bool Continue(ICollectionSource source)
    {
        var cursor = QueryCursor.Open(_plan, source, _position);
        if (cursor.KnownTotal is { } known)
        {
            Total = known;
            Results = _plan.Source == QuerySourceKind.Ids && known > 0 ? cursor.Position : null;
            return true;
        }

        while (cursor.MoveNext()) { }

        _position = cursor.Position;
        Total = cursor.Matches;
        return !cursor.IsInterrupted;
    }
}
