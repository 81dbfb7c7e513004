using Jackdaw.Storage.Trees;

namespace Jackdaw.Storage.Tables;

/// <summary>
/// Rows by primary key, and the secondary indexes of its schema, which every modification keeps in step. Obtained from
/// <see cref="Catalog.OpenTable"/>; lives as long as its transaction.
/// </summary>
public sealed class Table
{
    internal Table(Catalog catalog, TableSchema schema) => Schema = schema;

    public TableSchema Schema { get; }

    /// <summary>Rows.</summary>
    public long EntryCount => throw new NotImplementedException();

    /// <summary>Adds a row. The primary key, and the row's key in each unique index, must be new: anything else is a bug of the caller's.</summary>
    public void Insert(ReadOnlySpan<byte> primaryKey, ReadOnlySpan<byte> row) => throw new NotImplementedException();

    /// <summary>
    /// Room for a new row, which the caller fills and then gives to the indexes with <see cref="CompleteReservation"/> before anything else is
    /// done with the table.
    /// </summary>
    public Span<byte> Reserve(ReadOnlySpan<byte> primaryKey, int rowBytes) => throw new NotImplementedException();

    public void CompleteReservation() => throw new NotImplementedException();

    /// <summary>Replaces a row, which must exist.</summary>
    public void Update(ReadOnlySpan<byte> primaryKey, ReadOnlySpan<byte> row) => throw new NotImplementedException();

    /// <summary>Replaces a row by one with another (new) primary key: a document that gets its next etag.</summary>
    public void Replace(ReadOnlySpan<byte> oldPrimaryKey, ReadOnlySpan<byte> newPrimaryKey, ReadOnlySpan<byte> row) =>
        throw new NotImplementedException();

    /// <summary>False when there is no such row.</summary>
    public bool Delete(ReadOnlySpan<byte> primaryKey) => throw new NotImplementedException();

    /// <summary>The row lies in page memory: see <see cref="BTree.TryGet"/>.</summary>
    public bool TryGet(ReadOnlySpan<byte> primaryKey, out ReadOnlySpan<byte> row) => throw new NotImplementedException();

    /// <summary>The row of a unique index's key; of a non-unique index: the first in primary key order. Both spans lie in page memory.</summary>
    public bool TryGetByIndex(TableIndex index, ReadOnlySpan<byte> key, out ReadOnlySpan<byte> primaryKey, out ReadOnlySpan<byte> row) =>
        throw new NotImplementedException();

    /// <summary>Over the rows in primary key order.</summary>
    public BTreeCursor OpenCursor() => throw new NotImplementedException();

    /// <summary>Over an index, in the order of its keys.</summary>
    public TableIndexCursor OpenCursor(TableIndex index) => throw new NotImplementedException();

    internal void Reopen() => throw new NotImplementedException(Schema.Name);

    /// <summary>Each row has each of its index entries, and there are no others. (The trees' own rules: <see cref="Structure.Check"/>.)</summary>
    internal void Check(IPageVisitor visitor) => throw new NotImplementedException();
}
