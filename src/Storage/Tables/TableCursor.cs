using Jackdaw.Storage.Trees;

namespace Jackdaw.Storage.Tables;

/// <summary>Walks a table's rows in primary key order, either way. Rules as for <see cref="BTreeCursor"/>.</summary>
public sealed class TableCursor : IDisposable
{
    private const int PooledPerThread = 8;

    [ThreadStatic]
    private static Stack<TableCursor>? _pool;

    private BTreeCursor? _cursor;
    private LiveRowFilter _filter;

    private TableCursor() { }

    /// <summary>Valid until the cursor moves or is disposed of.</summary>
    public ReadOnlySpan<byte> Key => Cursor.Key;

    /// <summary>The row; lies in page memory, as in <see cref="BTree.TryGet"/>.</summary>
    public ReadOnlySpan<byte> Value => Cursor.Value;

    private BTreeCursor Cursor => _cursor ?? throw new ObjectDisposedException(nameof(TableCursor));

    /// <summary>Moves to the first entry; false when there is none.</summary>
    public bool SeekFirst()
    {
        _filter.Begin();
        return Forward(Cursor.SeekFirst());
    }

    /// <summary>Moves to the last entry; false when there is none.</summary>
    public bool SeekLast()
    {
        _filter.Begin();
        return Backward(Cursor.SeekLast());
    }

    /// <summary>To the first row whose key is not before <paramref name="key"/>; any bytes, also none.</summary>
    public bool Seek(ReadOnlySpan<byte> key)
    {
        _filter.Begin();
        return Forward(Cursor.Seek(key));
    }

    /// <summary>Moves to the next entry; false at the end.</summary>
    public bool MoveNext() => Forward(Cursor.MoveNext());

    /// <summary>Moves to the entry before; false at the beginning.</summary>
    public bool MovePrevious() => Backward(Cursor.MovePrevious());

    /// <summary>Back to the pool. The object must not be used afterwards.</summary>
    public void Dispose()
    {
        if (_cursor is null)
            return;
        _cursor.Dispose();
        _cursor = null;
        _filter = default;
        var pool = _pool ??= new Stack<TableCursor>(PooledPerThread);
        if (pool.Count < PooledPerThread)
            pool.Push(this);
    }

    internal static TableCursor Rent(Table table)
    {
        var pool = _pool;
        var cursor = pool is { Count: > 0 } ? pool.Pop() : new TableCursor();
        cursor._cursor = table.Rows.OpenCursor();
        cursor._filter = new LiveRowFilter(table.Dead);
        return cursor;
    }

    private bool Forward(bool any)
    {
        while (any && !_filter.PassesAll && !_filter.Passes(_cursor!.Key))
            any = _cursor.MoveNext();
        return any;
    }

    private bool Backward(bool any)
    {
        while (any && !_filter.PassesAll && !_filter.Passes(_cursor!.Key))
            any = _cursor.MovePrevious();
        return any;
    }
}
