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
        // Its row may lie on a damaged page: the move ends when that was read.
        if (has)
            document = _cursor.Current;
        else
            _isAtEnd = !_cursor.IsInterrupted;
        _isMoving = false;
        return has;
    }

    public void End()
    {
        // Let go first: whatever is thrown here, the next call does not meet a cursor whose reader has ended.
        var cursor = _cursor;
        _cursor = null;
        if (cursor is not null && !_isAtEnd && !_isMoving)
            _position = cursor.Position;
    }
}
