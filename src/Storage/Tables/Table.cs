using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Storage.Tables;

/// <summary>
/// Rows by primary key, and the secondary indexes of its schema, which every modification keeps in step. Obtained from
/// <see cref="Catalog.OpenTable"/>; lives as long as its transaction and belongs to that transaction's thread.
/// </summary>
/// <remarks>
/// A row or key that breaks the table's rules (a primary key or a unique index key that is there already, an update of no row) is
/// a bug of the
/// caller's: <see cref="Errors.InvariantViolationException"/>. After that, or any other exception out of a modification (a key
/// that is too long, a
/// full disk), some of its index entries may be there and others not: drop the transaction.
/// </remarks>
public sealed unsafe partial class Table
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
        Dead = schema.KeepsDeadRows ? new DeadRows(catalog, schema.DeadRowsName) : null;
    }

    /// <summary>The indexes of the table and how rows are read.</summary>
    public TableSchema Schema { get; }

    /// <summary>Rows, without dead ones.</summary>
    public long EntryCount => Rows.EntryCount - (Dead?.Counters.Rows ?? 0);

    /// <summary>The tree of the rows.</summary>
    internal BTree Rows =>
        _rows is { IsLoaded: true } open ? open : _rows = _catalog.OpenTree(Schema.Name, new BTreeOptions { Embeds = Schema.Embeds });

    /// <summary>
    /// The structures embedded in the rows. They belong to their row: <see cref="Update"/> leaves them, <see cref="Replace"/> hands them to
    /// the new row, <see cref="Delete"/> drops them. Only where <see cref="TableSchema.Embeds"/> says where they lie.
    /// </summary>
    public EmbeddedStructures Embedded => Rows.Embedded;

    /// <summary>Adds a row, whose primary key must be new.</summary>
    public void Insert(ReadOnlySpan<byte> primaryKey, ReadOnlySpan<byte> row)
    {
        RequireNoReservation();
        primaryKey = Keep(primaryKey);
        AddIndexEntries(primaryKey, row);
        int length = row.Length;
        bool isNew = Rows.Put(primaryKey, row);
        Invariant.Require(isNew);
        Dead?.CountLive(length);
    }

    /// <summary>
    /// Room for a new row, which the caller fills and then gives to the indexes with <see cref="CompleteReservation"/> before
    /// anything else is
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
        Dead?.CountLive(_reservedBytes);
    }

    /// <summary>Replaces a row, which must exist. The new one may lie in the table's own pages.</summary>
    public void Update(ReadOnlySpan<byte> primaryKey, ReadOnlySpan<byte> row)
    {
        primaryKey = Keep(primaryKey);
        var oldRow = RequireLive(primaryKey);
        int growth = row.Length - oldRow.Length;
        MoveIndexEntries(primaryKey, oldRow, primaryKey, row, oldRowStays: false);
        bool isNew = Rows.Put(primaryKey, row);
        Invariant.Require(!isNew);
        Dead?.CountLive(growth);
    }

    /// <summary>
    /// Replaces a row by one with another, new primary key: a document that gets its next etag. An index whose key stays the same
    /// is changed in
    /// place. The old key and the new row may lie in the table's own pages, the new key may not. Embedded structures go over to the new
    /// row, or are dropped where it is too short for them; those of the old row must be closed.
    /// </summary>
    /// <param name="oldPrimaryKey">Whose row goes.</param>
    /// <param name="newPrimaryKey">Must be new.</param>
    /// <param name="row">The new row.</param>
    /// <param name="atOnce">Where <see cref="TableSchema.KeepsDeadRows"/>: the old row goes all the same, because its page is to
    /// be written anyway.</param>
    public void Replace(ReadOnlySpan<byte> oldPrimaryKey, ReadOnlySpan<byte> newPrimaryKey, ReadOnlySpan<byte> row, bool atOnce = false)
    {
        oldPrimaryKey = Keep(oldPrimaryKey);
        var oldRow = RequireLive(oldPrimaryKey);
        int oldLength = oldRow.Length;
        int newLength = row.Length;
        bool oldRowStays = Dead is not null && !atOnce && oldLength <= DeadRows.MaxRowBytes;
        bool handsOver = false;
        if (Schema.Embeds.Count != 0)
        {
            Invariant.Require(!Rows.Embedded.IsOpen(oldPrimaryKey), "a row's embedded structures are closed before it is replaced");
            handsOver = Schema.Embeds.AreIn(newLength) && Schema.Embeds.AreIn(oldLength);
            oldRowStays &= !Rows.Embedded.OwnsPages(oldPrimaryKey);
        }
        MoveIndexEntries(oldPrimaryKey, oldRow, newPrimaryKey, row, oldRowStays);
        bool isNew = Rows.Put(newPrimaryKey, row);
        Invariant.Require(isNew);
        if (handsOver)
            Rows.MoveEmbedded(oldPrimaryKey, newPrimaryKey);
        Dead?.CountLive(newLength);
        RemoveRow(oldPrimaryKey, oldLength, oldRowStays);
    }

    /// <summary>False when there is no such row.</summary>
    public bool Delete(ReadOnlySpan<byte> primaryKey)
    {
        RequireNoReservation();
        primaryKey = Keep(primaryKey);
        if (!TryGet(primaryKey, out var row))
            return false;
        foreach (var index in Schema.Indexes)
            DeleteIndexEntry(index, primaryKey, row);
        RemoveRow(primaryKey, row.Length, stays: false);
        return true;
    }

    /// <summary>The row lies in page memory: see <see cref="BTree.TryGet"/>.</summary>
    public bool TryGet(scoped ReadOnlySpan<byte> primaryKey, out ReadOnlySpan<byte> row)
    {
        if (!Rows.TryGet(primaryKey, out row))
            return false;
        if (Dead is null || !Dead.Contains(DeadRows.KeyOf(primaryKey)))
            return true;
        row = default;
        return false;
    }

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

    /// <summary>As <see cref="TryGetByIndex"/> for up to <see cref="BTree.MaxTogether"/> keys, looked up together. Without bytes: no row
    /// has the key in its place.</summary>
    public void TryGetByIndexTogether(TableIndex index, ReadOnlySpan<PageBytes> keys, Span<PageBytes> primaryKeys, Span<PageBytes> rows)
    {
        Invariant.Require(index.IsUnique);
        IndexTree(index).TryGetTogether(keys, primaryKeys);
        Rows.TryGetTogether(primaryKeys, rows);
        for (int i = 0; i < rows.Length; i++)
            Invariant.Require(rows[i].IsThere == primaryKeys[i].IsThere);
    }

    /// <summary>Over the rows in primary key order; dispose of it.</summary>
    public TableCursor OpenCursor() => TableCursor.Rent(this);

    /// <summary>Over an index, in the order of its keys; dispose of it.</summary>
    public TableIndexCursor OpenCursor(TableIndex index) => TableIndexCursor.Rent(this, index);

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

    private void DeleteIndexEntry(TableIndex index, ReadOnlySpan<byte> primaryKey, ReadOnlySpan<byte> row)
    {
        var entry = IndexEntry.Of(index, row, primaryKey, KeyBuffers.OfThread.Old);
        if (entry.IsNone)
            return;
        bool wasThere = IndexTree(index).Delete(entry.Key);
        Invariant.Require(wasThere);
    }

    /// <summary>From what the stored row has to what the new one needs; touches only what differs.</summary>
    private void MoveIndexEntries(
        ReadOnlySpan<byte> oldPrimaryKey,
        ReadOnlySpan<byte> oldRow,
        ReadOnlySpan<byte> newPrimaryKey,
        ReadOnlySpan<byte> row,
        bool oldRowStays
    )
    {
        RequireNoReservation();
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
            if (!before.IsNone && !(oldRowStays && index.HoldsPrimaryKey))
            {
                bool wasThere = IndexTree(index).Delete(before.Key);
                Invariant.Require(wasThere);
            }
            if (!after.IsNone)
                AddIndexEntry(index, after, newPrimaryKey);
        }
    }

    // A primary key that an index look-up gave lies in that index's pages, which are about to change.
    private static ReadOnlySpan<byte> Keep(ReadOnlySpan<byte> primaryKey)
    {
        byte[] kept = KeyBuffers.OfThread.Primary;
        primaryKey.CopyTo(kept);
        return kept.AsSpan(0, primaryKey.Length);
    }

    private ReadOnlySpan<byte> RequireLive(ReadOnlySpan<byte> primaryKey)
    {
        bool found = TryGet(primaryKey, out var row);
        Invariant.Require(found);
        return row;
    }

    private void RequireNoReservation() => Invariant.Require(_reservedKeyLength == 0);
}
