using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Queries;
using Jackdaw.Storage;

namespace Jackdaw.Indexing.Running;

/// <summary>
/// A query being answered, a moment at a time: <see cref="Begin"/>, <see cref="MoveNext"/> and <see cref="Current"/> again and again,
/// <see cref="End"/>; then the same with the next moment, until <see cref="IsAtEnd"/>. Of one thread at a time.
/// </summary>
public sealed class QueryReading
{
    private readonly IQueryRows _rows;
    private bool _onRow;

    /// <param name="plan">What to answer.</param>
    /// <param name="cancellation">Ends the search: time is up, or the client has gone.</param>
    public QueryReading(QueryPlan plan, CancellationToken cancellation)
    {
        ArgumentNullException.ThrowIfNull(plan);
        Plan = plan;
        _rows = plan.Index is null ? new CollectionRows(plan) : new IndexRows(plan, cancellation);
    }

    /// <summary>What is answered.</summary>
    public QueryPlan Plan { get; }

    /// <summary>All matches, whatever is passed over or left out; null until they are counted.</summary>
    public long? Total => _rows.Total;

    /// <summary>Matches left out so far, because their documents are gone.</summary>
    public long Skipped => _rows.Skipped;

    /// <summary>There are no more rows.</summary>
    public bool IsAtEnd { get; private set; }

    /// <summary>The document moved to; valid until the next move.</summary>
    public Document Current
    {
        get
        {
            Invariant.Require(_onRow);
            return _rows.Current;
        }
    }

    /// <summary>How the index found the answer, for people; null for a query without one. Between <see cref="Begin"/> and
    /// <see cref="End"/> of the first moment.</summary>
    public string? Explanation => (_rows as IndexRows)?.Explanation;

    /// <summary>Goes on in a moment. Returns false when it has passed before the matches are counted: end it, and go on in another one.
    /// Errors: <see cref="Search.SearchQueryException"/>, <see cref="OperationCanceledException"/>.</summary>
    public bool Begin(QueryMoment moment)
    {
        ArgumentNullException.ThrowIfNull(moment);
        Invariant.Require(!IsAtEnd);
        return _rows.Begin(moment);
    }

    /// <summary>Moves to the next row. Returns false at the end (<see cref="IsAtEnd"/>), and when the moment has lasted long enough.</summary>
    public bool MoveNext()
    {
        _onRow = _rows.MoveNext();
        IsAtEnd = !_onRow && !_rows.IsInterrupted;
        return _onRow;
    }

    /// <summary>Lets the moment go.</summary>
    public void End()
    {
        _onRow = false;
        _rows.End();
    }
}
