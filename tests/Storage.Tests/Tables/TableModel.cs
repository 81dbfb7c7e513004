using System.Buffers.Binary;
using Jackdaw.Storage.Tables;
using Jackdaw.Storage.Tests.Trees;
using Xunit;

namespace Jackdaw.Storage.Tests.Tables;

/// <summary>Random operations on a table shaped as <see cref="TableModelTests"/> says, beside a sorted dictionary of what must be
/// in it.</summary>
internal sealed class TableModel
{
    private readonly TableSchema _schema;
    private readonly TableIndex _byName;
    private readonly TableIndex _byCollection;

    public TableModel(bool keepsDeadRows)
    {
        _schema = new TableSchema("documents") { KeepsDeadRows = keepsDeadRows };
        _byName = _schema.AddIndex("name", isUnique: true, TableModelTests.NameOf);
        _byCollection = _schema.AddIndex("collection", isUnique: false, TableModelTests.CollectionOf);
    }

    public void Run(int seed)
    {
        var random = new Random(seed);
        using var store = new HeapStore();
        var model = new SortedDictionary<long, byte[]>();
        long etag = 0;
        for (int batch = 0; batch < 12; batch++)
        {
            using var writer = store.BeginWrite();
            var table = writer.Catalog.OpenTable(_schema);
            var changed = new SortedDictionary<long, byte[]>(model);
            for (int i = 0; i < 150; i++)
                RunOperation(random, table, changed, ref etag, mostlyDelete: batch > 8);
            RequireSame(table, changed);
            Assert.Empty(TableModelTests.ProblemsOf(writer, table));
            CheckedPages.RequireSound(writer);
            if (random.Next(4) == 0)
                continue; // rolled back
            writer.Commit();
            model = changed;
        }
    }

    private void RunOperation(Random random, Table table, SortedDictionary<long, byte[]> model, ref long etag, bool mostlyDelete)
    {
        int length = random.Next(10) == 0 ? random.Next(1500, 30_000) : random.Next(9, 900);
        byte[] row = TableModelTests.Row((byte)random.Next(4), name: etag + 1_000_000, length);
        int choice = model.Count == 0 ? 0 : random.Next(mostlyDelete ? 20 : 8);
        long old = model.Count == 0 ? 0 : model.Keys.ElementAt(random.Next(model.Count));
        switch (choice)
        {
            case 0 or 1:
                table.Insert(TableModelTests.Key(++etag), row);
                model[etag] = row;
                break;
            case 2:
                row.CopyTo(table.Reserve(TableModelTests.Key(++etag), row.Length));
                table.CompleteReservation();
                model[etag] = row;
                break;
            case 3:
                model[old].AsSpan(1, 8).CopyTo(row.AsSpan(1)); // same name
                table.Update(TableModelTests.Key(old), row);
                model[old] = row;
                break;
            case 4:
                model[old].AsSpan(0, 9).CopyTo(row);
                Assert.True(table.TryGetByIndex(_byName, row.AsSpan(1, 8), out var oldKey, out _));
                table.Replace(oldKey, TableModelTests.Key(++etag), row);
                model.Remove(old);
                model[etag] = row;
                break;
            case 5:
                Assert.True(table.TryGet(TableModelTests.Key(old), out var stored));
                table.Replace(TableModelTests.Key(old), TableModelTests.Key(++etag), stored); // the row as it lies in the page
                model[etag] = model[old];
                model.Remove(old);
                break;
            default:
                Assert.True(table.TryGetByIndex(_byName, model[old].AsSpan(1, 8), out var key, out _));
                Assert.True(table.Delete(key));
                model.Remove(old);
                break;
        }
        Assert.False(table.Delete(TableModelTests.Key(etag + 5)));
        if (random.Next(8) == 0)
            table.Vacuum(random.NextDouble(), random.Next(40));
    }

    private void RequireSame(Table table, SortedDictionary<long, byte[]> model)
    {
        Assert.Equal(model.Count, table.EntryCount);
        foreach (var (etag, row) in model)
        {
            Assert.True(table.TryGetByIndex(_byName, row.AsSpan(1, 8), out var primaryKey, out var found));
            Assert.Equal(etag, BinaryPrimitives.ReadInt64BigEndian(primaryKey));
            Assert.True(found.SequenceEqual(row));
            Assert.True(table.TryGet(TableModelTests.Key(etag), out _));
        }
        RequireSameRows(table, model);
        using var cursor = table.OpenCursor(_byCollection);
        var walked = new List<(int, long)>();
        for (bool any = cursor.SeekFirst(); any; any = cursor.MoveNext())
            walked.Add((cursor.IndexKey[0], BinaryPrimitives.ReadInt64BigEndian(cursor.PrimaryKey)));
        var expected = model.Where(row => row.Value[0] != 0).Select(row => ((int)row.Value[0], row.Key)).Order();
        Assert.Equal(expected, walked);
    }

    private static void RequireSameRows(Table table, SortedDictionary<long, byte[]> model)
    {
        using var rows = table.OpenCursor();
        var upward = new List<long>();
        for (bool any = rows.SeekFirst(); any; any = rows.MoveNext())
            upward.Add(BinaryPrimitives.ReadInt64BigEndian(rows.Key));
        Assert.Equal(model.Keys, upward);
        var downward = new List<long>();
        for (bool any = rows.SeekLast(); any; any = rows.MovePrevious())
            downward.Add(BinaryPrimitives.ReadInt64BigEndian(rows.Key));
        Assert.Equal(model.Keys.Reverse(), downward);
    }
}
