using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Storage.Tables;

/// <summary>
/// Rows by primary key, and the secondary indexes of its schema, which every modification keeps in step. Obtained from
/// <see cref="Catalog.OpenTable"/>; lives as long as its transaction and belongs to that transaction's thread.
/// </summary>
/// <remarks>
/// A row or key that breaks the table's rules (a primary key or a unique index key that is there already, an update of no row) is a bug of the
/// caller's: <see cref="Errors.InvariantViolationException"/>. After that, or any other exception out of a modification (a key that is too long, a
/// full disk), some of its index entries may be there and others not: drop the transaction.
/// </remarks>
public sealed unsafe class Table
{
    private readonly Catalog _catalog;
    private readonly BTree?[] _indexTrees;
    private byte[] _reservedKey = [];
    private BTree? _rows;
    private byte* _reservedRow;
    private int _reservedBytes;
    private int _reservedKeyLength;

    internal Table(Catalog catalog, TableSchema schema)
    {
        _catalog = catalog;
        Schema = schema;
        _indexTrees = new BTree?[schema.Indexes.Count];
    }

    public TableSchema Schema { get; }

    /// <summary>Rows.</summary>
    public long EntryCount => Rows.EntryCount;

    /// <summary>The tree of the rows.</summary>
    internal BTree Rows => _rows is { IsLoaded: true } open ? open : _rows = _catalog.OpenTree(Schema.Name);

    /// <summary>Adds a row, whose primary key must be new.</summary>
    public void Insert(ReadOnlySpan<byte> primaryKey, ReadOnlySpan<byte> row)
    {
        RequireNoReservation();
        primaryKey = Keep(primaryKey);
        AddIndexEntries(primaryKey, row);
        bool isNew = Rows.Put(primaryKey, row);
        Invariant.Require(isNew);
    }

    /// <summary>
    /// Room for a new row, which the caller fills and then gives to the indexes with <see cref="CompleteReservation"/> before anything else is
    /// done with the table.
    /// </summary>
    public Span<byte> Reserve(ReadOnlySpan<byte> primaryKey, int rowBytes)
    {
        RequireNoReservation();
        var room = Rows.Reserve(primaryKey, rowBytes, out bool isNew);
        Invariant.Require(isNew);
        if (_reservedKey.Length < primaryKey.Length)
            _reservedKey = new byte[primaryKey.Length];
        primaryKey.CopyTo(_reservedKey);
        _reservedKeyLength = primaryKey.Length;
        _reservedRow = (byte*)Unsafe.AsPointer(ref MemoryMarshal.GetReference(room));
        _reservedBytes = rowBytes;
        return room;
    }

    /// <summary>The reserved row is filled: adds its index entries.</summary>
    public void CompleteReservation()
    {
        Invariant.Require(_reservedKeyLength > 0);
        var primaryKey = _reservedKey.AsSpan(0, _reservedKeyLength);
        _reservedKeyLength = 0;
        // The indexes are other trees: what is done to them does not move the row.
        AddIndexEntries(primaryKey, new ReadOnlySpan<byte>(_reservedRow, _reservedBytes));
    }

    /// <summary>Replaces a row, which must exist. The new one may lie in the table's own pages.</summary>
    public void Update(ReadOnlySpan<byte> primaryKey, ReadOnlySpan<byte> row)
    {
        primaryKey = Keep(primaryKey);
        MoveIndexEntries(primaryKey, primaryKey, row);
        bool isNew = Rows.Put(primaryKey, row);
        Invariant.Require(!isNew);
    }

    /// <summary>
    /// Replaces a row by one with another, new primary key: a document that gets its next etag. An index whose key stays the same is changed in
    /// place. The old key and the new row may lie in the table's own pages, the new key may not.
    /// </summary>
    public void Replace(ReadOnlySpan<byte> oldPrimaryKey, ReadOnlySpan<byte> newPrimaryKey, ReadOnlySpan<byte> row)
    {
        oldPrimaryKey = Keep(oldPrimaryKey);
        MoveIndexEntries(oldPrimaryKey, newPrimaryKey, row);
        bool isNew = Rows.Put(newPrimaryKey, row);
        bool wasThere = Rows.Delete(oldPrimaryKey);
        Invariant.Require(isNew && wasThere);
    }

    /// <summary>False when there is no such row.</summary>
    public bool Delete(ReadOnlySpan<byte> primaryKey)
    {
        RequireNoReservation();
        primaryKey = Keep(primaryKey);
        if (!Rows.TryGet(primaryKey, out var row))
            return false;
        foreach (var index in Schema.Indexes)
        {
            var entry = IndexEntry.Of(index, row, primaryKey, KeyBuffers.OfThread.Old);
            if (entry.IsNone)
                continue;
            bool wasThere = IndexTree(index).Delete(entry.Key);
            Invariant.Require(wasThere);
        }
        return Rows.Delete(primaryKey);
    }

    /// <summary>The row lies in page memory: see <see cref="BTree.TryGet"/>.</summary>
    public bool TryGet(ReadOnlySpan<byte> primaryKey, out ReadOnlySpan<byte> row) => Rows.TryGet(primaryKey, out row);

    /// <summary>The row of a key of a unique index. Both spans lie in page memory.</summary>
    public bool TryGetByIndex(TableIndex index, ReadOnlySpan<byte> key, out ReadOnlySpan<byte> primaryKey, out ReadOnlySpan<byte> row)
    {
        Invariant.Require(index.IsUnique);
        if (IndexTree(index).TryGet(key, out primaryKey))
        {
            bool found = Rows.TryGet(primaryKey, out row);
            Invariant.Require(found);
            return true;
        }
        row = default;
        return false;
    }

    /// <summary>Over the rows in primary key order; dispose of it.</summary>
    public BTreeCursor OpenCursor() => Rows.OpenCursor();

    /// <summary>Over an index, in the order of its keys; dispose of it.</summary>
    public TableIndexCursor OpenCursor(TableIndex index) => TableIndexCursor.Rent(this, index);

    /// <summary>Each row has each of its index entries, and there are no others. (The trees' own rules: <see cref="Structure.Check"/>.)</summary>
    internal void Check(IPageVisitor visitor)
    {
        foreach (var index in Schema.Indexes)
            CheckIndex(index, visitor);
    }

    internal BTree IndexTree(TableIndex index)
    {
        Invariant.Require(ReferenceEquals(index.Schema, Schema));
        ref BTree? tree = ref _indexTrees[index.Ordinal];
        return tree is { IsLoaded: true } open ? open : tree = _catalog.OpenTree(index.TreeName);
    }

    private void AddIndexEntries(ReadOnlySpan<byte> primaryKey, ReadOnlySpan<byte> row)
    {
        foreach (var index in Schema.Indexes)
        {
            var entry = IndexEntry.Of(index, row, primaryKey, KeyBuffers.OfThread.New);
            if (!entry.IsNone)
                AddIndexEntry(index, entry, primaryKey);
        }
    }

    private void AddIndexEntry(TableIndex index, IndexEntry entry, ReadOnlySpan<byte> primaryKey)
    {
        var value = IndexTree(index).Reserve(entry.Key, entry.ValueLength(primaryKey), out bool isNew);
        Invariant.Require(isNew);
        entry.WriteValue(value, primaryKey);
    }

    /// <summary>From what the stored row has to what the new one needs; touches only what differs.</summary>
    private void MoveIndexEntries(ReadOnlySpan<byte> oldPrimaryKey, ReadOnlySpan<byte> newPrimaryKey, ReadOnlySpan<byte> row)
    {
        RequireNoReservation();
        bool found = Rows.TryGet(oldPrimaryKey, out var oldRow);
        Invariant.Require(found);
        var buffers = KeyBuffers.OfThread;
        bool samePrimaryKey = oldPrimaryKey.SequenceEqual(newPrimaryKey);
        foreach (var index in Schema.Indexes)
        {
            var before = IndexEntry.Of(index, oldRow, oldPrimaryKey, buffers.Old);
            var after = IndexEntry.Of(index, row, newPrimaryKey, buffers.New);
            if (before.HasSameKey(after))
            {
                if (!before.IsNone && !samePrimaryKey)
                    after.WriteValue(IndexTree(index).Reserve(after.Key, after.ValueLength(newPrimaryKey), out _), newPrimaryKey);
                continue;
            }
            if (!before.IsNone)
            {
                bool wasThere = IndexTree(index).Delete(before.Key);
                Invariant.Require(wasThere);
            }
            if (!after.IsNone)
                AddIndexEntry(index, after, newPrimaryKey);
        }
    }

    private void CheckIndex(TableIndex index, IPageVisitor visitor)
    {
        var tree = IndexTree(index);
        long expected = 0;
        using var cursor = Rows.OpenCursor();
        for (bool any = cursor.SeekFirst(); any; any = cursor.MoveNext())
        {
            var entry = IndexEntry.Of(index, cursor.Value, cursor.Key, KeyBuffers.OfThread.New);
            if (entry.IsNone)
                continue;
            expected++;
            if (!tree.TryGet(entry.Key, out var value) || !entry.HasValue(value, cursor.Key))
                visitor.Report(tree.State.RootPage, $"index '{index.TreeName}' lacks row {Convert.ToHexString(cursor.Key)}");
        }
        if (expected != tree.EntryCount)
            visitor.Report(tree.State.RootPage, $"index '{index.TreeName}' has {tree.EntryCount} entries for {expected} rows");
    }

    // A primary key that an index look-up gave lies in that index's pages, which are about to change.
    private static ReadOnlySpan<byte> Keep(ReadOnlySpan<byte> primaryKey)
    {
        byte[] kept = KeyBuffers.OfThread.Primary;
        primaryKey.CopyTo(kept);
        return kept.AsSpan(0, primaryKey.Length);
    }

    private void RequireNoReservation() => Invariant.Require(_reservedKeyLength == 0);
}
