using System.Buffers.Binary;
using System.Collections.Immutable;
using Jackdaw.Simulation.Medium;
using Jackdaw.Storage.Tables;
using Jackdaw.Storage.Transactions;
using Jackdaw.Storage.Trees;

namespace Jackdaw.Simulation.Workloads;

/// <summary>Rows as documents are: a unique index by etag, one by group, and a tombstone for each deletion in the same
/// transaction.</summary>
internal sealed class TableWorkload : IWorkload
{
    private const string Tombstones = "tombstones";
    private const int Keys = 60;
    private static readonly TableSchema Schema = new("rows");
    private static readonly TableIndex ByEtag = Schema.AddIndex(
        "etag",
        isUnique: true,
        (row, _, destination) => CopyOf(row[..8], destination)
    );
    private static readonly TableIndex ByGroup = Schema.AddIndex(
        "group",
        isUnique: false,
        (row, _, destination) => row[8] == 0 ? -1 : CopyOf(row[8..9], destination)
    );

    public object Empty => new TableState(ImmutableSortedDictionary<int, TableRow>.Empty, ImmutableSortedDictionary<long, int>.Empty, 0);

    public object Change(WriteTransaction transaction, object state, SimulatedRandom random)
    {
        var was = (TableState)state;
        var table = transaction.Catalog.OpenTable(Schema);
        var number = random.Next(Keys);
        Span<byte> key = stackalloc byte[4];
        BinaryPrimitives.WriteInt32BigEndian(key, number);
        var etag = was.LastEtag + 1;
        var exists = was.Rows.ContainsKey(number);
        if (random.OneIn(3))
        {
            OracleException.Require(table.Delete(key) == exists, $"table: deleting row {number} tells wrongly whether it was there");
            if (!exists)
                return was;
            transaction.Catalog.OpenFixedTree<int>(Tombstones).Put(etag, number);
            return new TableState(was.Rows.Remove(number), was.Tombstones.Add(etag, number), etag);
        }
        var row = new TableRow(
            etag,
            (byte)random.Next(4),
            new Stored((uint)random.Next(Patterns.MaxLength), random.OneIn(10) ? random.Next(20_000) : random.Next(400))
        );
        var bytes = Write(row);
        if (exists)
            table.Update(key, bytes);
        else
            table.Insert(key, bytes);
        return was with { Rows = was.Rows.SetItem(number, row), LastEtag = etag };
    }

    public object Clear(WriteTransaction transaction, object state)
    {
        var was = (TableState)state;
        var table = transaction.Catalog.OpenTable(Schema);
        Span<byte> key = stackalloc byte[4];
        foreach (var number in was.Rows.Keys)
        {
            BinaryPrimitives.WriteInt32BigEndian(key, number);
            OracleException.Require(table.Delete(key), $"table: row {number} is not there to be deleted");
        }
        transaction.Catalog.Drop(Tombstones);
        return new TableState(was.Rows.Clear(), was.Tombstones.Clear(), was.LastEtag);
    }

    public void Verify(PageTransaction transaction, object state, double share, SimulatedRandom random)
    {
        var model = (TableState)state;
        if (!transaction.Catalog.Contains(Schema.Name))
        {
            OracleException.Require(model.Rows.IsEmpty, "the table is gone");
            return;
        }
        var table = transaction.Catalog.OpenTable(Schema);
        OracleException.Require(
            table.EntryCount == model.Rows.Count,
            $"the table has {table.EntryCount} rows instead of {model.Rows.Count}"
        );
        Span<byte> key = stackalloc byte[4];
        foreach (var (number, row) in model.Rows)
        {
            if (share < 1 && random.NextDouble() > share)
                continue;
            BinaryPrimitives.WriteInt32BigEndian(key, number);
            OracleException.Require(table.TryGet(key, out var found) && found.SequenceEqual(Write(row)), $"table: row {number} is wrong");
        }
        if (share < 1)
            return;
        VerifyEtags(table, model);
        VerifyTombstones(transaction, model);
    }

    public void Check(PageTransaction transaction, object state, IPageVisitor visitor)
    {
        if (transaction.Catalog.Contains(Schema.Name))
            transaction.Catalog.OpenTable(Schema).Check(visitor);
    }

    private static void VerifyEtags(Table table, TableState model)
    {
        using var cursor = table.OpenCursor(ByEtag);
        var more = cursor.SeekFirst();
        foreach (var (number, row) in model.Rows.OrderBy(r => r.Value.Etag))
        {
            OracleException.Require(
                more
                    && BinaryPrimitives.ReadInt64BigEndian(cursor.IndexKey) == row.Etag
                    && BinaryPrimitives.ReadInt32BigEndian(cursor.PrimaryKey) == number,
                $"table: etag {row.Etag} does not lead to row {number}"
            );
            more = cursor.MoveNext();
        }
        OracleException.Require(!more, "table: an etag leads nowhere");
        foreach (var group in model.Rows.GroupBy(r => r.Value.Group).Where(g => g.Key != 0))
        {
            using var groups = table.OpenCursor(ByGroup);
            OracleException.Require(
                groups.Seek([group.Key]) && BinaryPrimitives.ReadInt32BigEndian(groups.PrimaryKey) == group.Min(r => r.Key),
                $"table: group {group.Key} does not begin with its first row"
            );
        }
    }

    private static void VerifyTombstones(PageTransaction transaction, TableState model)
    {
        if (!transaction.Catalog.Contains(Tombstones))
        {
            OracleException.Require(model.Tombstones.IsEmpty, "the tombstones are gone");
            return;
        }
        var tombstones = transaction.Catalog.OpenFixedTree<int>(Tombstones);
        OracleException.Require(
            tombstones.EntryCount == model.Tombstones.Count,
            $"there are {tombstones.EntryCount} tombstones instead of {model.Tombstones.Count}"
        );
        foreach (var (etag, number) in model.Tombstones)
            OracleException.Require(tombstones.TryGet(etag, out var found) && found == number, $"the tombstone of etag {etag} is lost");
    }

    private static byte[] Write(in TableRow row)
    {
        var bytes = new byte[TableRow.HeaderBytes + row.Rest.Length];
        BinaryPrimitives.WriteInt64BigEndian(bytes, row.Etag);
        bytes[8] = row.Group;
        row.Rest.Bytes.CopyTo(bytes.AsSpan(TableRow.HeaderBytes));
        return bytes;
    }

    private static int CopyOf(ReadOnlySpan<byte> bytes, Span<byte> destination)
    {
        bytes.CopyTo(destination);
        return bytes.Length;
    }
}
