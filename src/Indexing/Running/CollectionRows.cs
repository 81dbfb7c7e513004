using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Queries;

namespace Jackdaw.Indexing.Running;

/// <summary>The documents of a query that needs no index.</summary>
internal sealed class CollectionRows(QueryPlan plan) : IQueryRows
{
    private readonly QueryCount _count = new(plan);
    private QueryPosition? _position;
    private QueryCursor? _cursor;
    private bool _isAtEnd;

    /// <summary>A move has not come to its end: what was thrown in it is the answer, and the cursor stands nowhere.</summary>
    private bool _isMoving;

    public long? Total { get; private set; }

    public long Skipped => 0;

    public bool IsInterrupted => !_isAtEnd && _cursor!.IsInterrupted;

    public bool Begin(QueryMoment moment)
    {
        if (Total is null)
        {
            if (!_count.Continue(moment.Documents))
                return false;
            Total = _count.Total;
            _position = _count.Results;
        }
        _cursor = QueryCursor.Open(plan, moment.Documents, _position);
        return true;
    }

    public bool MoveNext(out Document document)
    {
        document = default;
        if (_isAtEnd)
            return false;
        _isMoving = true;
        bool has = _cursor!.MoveNext();
        _isMoving = false;
        if (has)
        {
            document = _cursor.Current;
            return true;
        }
        _isAtEnd = !_cursor.IsInterrupted;
        return false;
    }

    public void End()
    {
        if (_cursor is not null && !_isAtEnd && !_isMoving)
            _position = _cursor.Position;
        _cursor = null;
    }
}
