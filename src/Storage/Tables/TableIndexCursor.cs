using Jackdaw.Storage.Trees;

namespace Jackdaw.Storage.Tables;

/// <summary>
/// Walks a table by one of its indexes, either way. Rules as for <see cref="BTreeCursor"/>. In a non-unique index entries are in
/// the order of
/// index key ++ primary key, so the rows of one key are neighbours when no index key begins with another one (a fixed length, or
/// a terminator).
/// </summary>
public sealed class TableIndexCursor : IDisposable
{
    private const int PooledPerThread = 8;

    [ThreadStatic]
    private static Stack<TableIndexCursor>? _pool;

    private readonly byte[] _sought = new byte[BTree.MaxKeyBytes];
    private Table? _table;
    private TableIndex? _index;
    private BTreeCursor? _cursor;
    private LiveRowFilter _filter;
    private byte[] _within = [];

    private TableIndexCursor() { }

    /// <summary>The row's key in the index. Valid until the cursor moves.</summary>
    public ReadOnlySpan<byte> IndexKey
    {
        get
        {
            var cursor = Cursor;
            return _index!.IsUnique ? cursor.Key : cursor.Key[..IndexEntry.IndexKeyLength(cursor.Value)];
        }
    }

    /// <summary>Valid until the cursor moves, in a writer also until the next modification.</summary>
    public ReadOnlySpan<byte> PrimaryKey
    {
        get
        {
            var cursor = Cursor;
            return _index!.IsUnique ? cursor.Value : cursor.Key[IndexEntry.IndexKeyLength(cursor.Value)..];
        }
    }

    /// <summary>Looked up in the table's rows when asked for; lies in page memory.</summary>
    public ReadOnlySpan<byte> Row
    {
        get
        {
            bool found = _table!.Rows.TryGet(PrimaryKey, out var row);
            Invariant.Require(found);
            return row;
        }
    }

    /// <summary>
    /// The beginning of the keys that the caller wants. Beyond them the cursor does not look for a row that is not dead: it may
    /// stand on an entry with another
    /// beginning whose row it must not be asked for.
    /// </summary>
    public void StayWithin(byte[] prefix) => _within = prefix;

    private BTreeCursor Cursor => _cursor ?? throw new ObjectDisposedException(nameof(TableIndexCursor));

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

    /// <summary>To the first entry whose index key (non-unique: index key ++ primary key) is not before <paramref name="key"/>.</summary>
    public bool Seek(ReadOnlySpan<byte> key)
    {
        _filter.Begin();
        return Forward(Cursor.Seek(key));
    }

    /// <summary>
    /// Non-unique indexes: to the first entry not before this index key with this primary key; for the rows of a collection from
    /// an etag on.
    /// </summary>
    public bool Seek(ReadOnlySpan<byte> indexKey, ReadOnlySpan<byte> fromPrimaryKey)
    {
        Invariant.Require(!_index!.IsUnique);
        indexKey.CopyTo(_sought);
        fromPrimaryKey.CopyTo(_sought.AsSpan(indexKey.Length));
        return Seek(_sought.AsSpan(0, indexKey.Length + fromPrimaryKey.Length));
    }

    /// <summary>To the last entry whose index key (non-unique: index key ++ primary key) is before <paramref name="key"/>.</summary>
    public bool SeekBefore(ReadOnlySpan<byte> key)
    {
        _filter.Begin();
        return Backward(Cursor.SeekBefore(key));
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
        _table = null;
        _index = null;
        _filter = default;
        _within = [];
        var pool = _pool ??= new Stack<TableIndexCursor>(PooledPerThread);
        if (pool.Count < PooledPerThread)
            pool.Push(this);
    }

    internal static TableIndexCursor Rent(Table table, TableIndex index)
    {
        var pool = _pool;
        var cursor = pool is { Count: > 0 } ? pool.Pop() : new TableIndexCursor();
        cursor._table = table;
        cursor._index = index;
        cursor._cursor = table.IndexTree(index).OpenCursor();
        // Dead rows have entries in no other index.
        cursor._filter = new LiveRowFilter(index.HoldsPrimaryKey ? table.Dead : null);
        return cursor;
    }

    private bool Forward(bool any)
    {
        while (any && !_filter.PassesAll && !_filter.Passes(PrimaryKey) && _cursor!.Key.StartsWith(_within))
            any = _cursor.MoveNext();
        return any;
    }

    private bool Backward(bool any)
    {
        while (any && !_filter.PassesAll && !_filter.Passes(PrimaryKey) && _cursor!.Key.StartsWith(_within))
            any = _cursor.MovePrevious();
        return any;
    }
}
