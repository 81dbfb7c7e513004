using System.Buffers.Binary;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Tables;
using Jackdaw.Storage.Tests.Trees;
using Jackdaw.Storage.Trees;
using Xunit;

namespace Jackdaw.Storage.Tests.Tables;

/// <summary>
/// Rows shaped as documents are: primary key = etag; row = collection (1 byte), name (8 bytes), rubbish. One unique index by name, one not unique
/// by collection, which leaves collection 0 out.
/// </summary>
public sealed class TableModelTests
{
    private static readonly TableSchema Schema = new("documents");
    private static readonly TableIndex ByName = Schema.AddIndex("name", isUnique: true, NameOf);
    private static readonly TableIndex ByCollection = Schema.AddIndex("collection", isUnique: false, CollectionOf);

    [Fact]
    public void A_table_keeps_its_indexes_in_step_through_any_operations()
    {
        foreach (int seed in Seed.Some(5))
        {
            try
            {
                Run(seed);
            }
            catch (Exception failure)
            {
                throw new InvalidOperationException($"JACKDAW_SEED={seed}: {failure.Message}", failure);
            }
        }
    }

    [Fact]
    public void Rows_of_one_collection_are_walked_from_an_etag_on_and_backward_from_the_end()
    {
        using var writer = HeapStore.SingleWriter();
        var table = writer.Catalog.OpenTable(Schema);
        for (long etag = 1; etag <= 300; etag++)
            table.Insert(Key(etag), Row(collection: (byte)(etag % 3), name: etag, length: 40));

        using var cursor = table.OpenCursor(ByCollection);
        var forward = new List<long>();
        for (bool any = cursor.Seek([2], Key(250)); any && cursor.IndexKey.SequenceEqual([(byte)2]); any = cursor.MoveNext())
            forward.Add(BinaryPrimitives.ReadInt64BigEndian(cursor.PrimaryKey));
        Assert.Equal(Enumerable.Range(250, 51).Where(etag => etag % 3 == 2).Select(etag => (long)etag), forward);

        Assert.True(cursor.SeekBefore([2]));
        Assert.Equal(298, BinaryPrimitives.ReadInt64BigEndian(cursor.PrimaryKey));
        Assert.Equal(1, cursor.Row[0]);
    }

    [Fact]
    public void A_second_row_with_a_unique_key_is_refused()
    {
        using var writer = HeapStore.SingleWriter();
        var table = writer.Catalog.OpenTable(Schema);
        table.Insert(Key(1), Row(1, name: 7, length: 20));
        Assert.Throws<InvariantViolationException>(() => table.Insert(Key(2), Row(1, name: 7, length: 20)));
    }

    [Fact]
    public void The_check_reports_an_index_that_lacks_a_row_or_has_one_too_many()
    {
        using var writer = HeapStore.SingleWriter();
        var table = writer.Catalog.OpenTable(Schema);
        for (long etag = 1; etag <= 10; etag++)
            table.Insert(Key(etag), Row(1, name: etag, length: 20));
        Assert.Empty(ProblemsOf(writer, table));
        table.IndexTree(ByName).Delete(Key(3));
        Assert.Equal(2, ProblemsOf(writer, table).Count);
        table.IndexTree(ByName).Put(Key(99), Key(3));
        Assert.Single(ProblemsOf(writer, table));
    }

    [Fact]
    public void Dropping_a_table_gives_back_all_its_pages()
    {
        using var writer = HeapStore.SingleWriter();
        var table = writer.Catalog.OpenTable(Schema);
        for (long etag = 1; etag <= 500; etag++)
            table.Insert(Key(etag), Row(1, name: etag, length: etag == 77 ? 50_000 : 100));
        Assert.True(writer.Catalog.DropTable(Schema));
        Assert.False(writer.Catalog.Contains(Schema.Name));
        CheckedPages.RequireSound(writer);
        Assert.Equal(1, writer.UsedPages); // the meta page: the catalog has not needed one yet
        Assert.Equal(0, writer.Catalog.OpenTable(Schema).EntryCount);
    }

    private static void Run(int seed)
    {
        var random = new Random(seed);
        using var store = new HeapStore();
        var model = new SortedDictionary<long, byte[]>();
        long etag = 0;
        for (int batch = 0; batch < 12; batch++)
        {
            using var writer = store.BeginWrite();
            var table = writer.Catalog.OpenTable(Schema);
            var changed = new SortedDictionary<long, byte[]>(model);
            for (int i = 0; i < 150; i++)
                RunOperation(random, table, changed, ref etag, mostlyDelete: batch > 8);
            RequireSame(table, changed);
            Assert.Empty(ProblemsOf(writer, table));
            CheckedPages.RequireSound(writer);
            if (random.Next(4) == 0)
                continue; // rolled back
            writer.Commit();
            model = changed;
        }
    }

    private static void RunOperation(Random random, Table table, SortedDictionary<long, byte[]> model, ref long etag, bool mostlyDelete)
    {
        int length = random.Next(10) == 0 ? random.Next(3000, 30_000) : random.Next(9, 900);
        byte[] row = Row((byte)random.Next(4), name: etag + 1_000_000, length);
        int choice = model.Count == 0 ? 0 : random.Next(mostlyDelete ? 20 : 8);
        long old = model.Count == 0 ? 0 : model.Keys.ElementAt(random.Next(model.Count));
        switch (choice)
        {
            case 0 or 1:
                table.Insert(Key(++etag), row);
                model[etag] = row;
                break;
            case 2:
                row.CopyTo(table.Reserve(Key(++etag), row.Length));
                table.CompleteReservation();
                model[etag] = row;
                break;
            case 3:
                model[old].AsSpan(1, 8).CopyTo(row.AsSpan(1)); // same name
                table.Update(Key(old), row);
                model[old] = row;
                break;
            case 4:
                model[old].AsSpan(0, 9).CopyTo(row);
                Assert.True(table.TryGetByIndex(ByName, row.AsSpan(1, 8), out var oldKey, out _));
                table.Replace(oldKey, Key(++etag), row);
                model.Remove(old);
                model[etag] = row;
                break;
            case 5:
                Assert.True(table.TryGet(Key(old), out var stored));
                table.Replace(Key(old), Key(++etag), stored); // the row as it lies in the page
                model[etag] = model[old];
                model.Remove(old);
                break;
            default:
                Assert.True(table.TryGetByIndex(ByName, model[old].AsSpan(1, 8), out var key, out _));
                Assert.True(table.Delete(key));
                model.Remove(old);
                break;
        }
        Assert.False(table.Delete(Key(etag + 5)));
    }

    private static void RequireSame(Table table, SortedDictionary<long, byte[]> model)
    {
        Assert.Equal(model.Count, table.EntryCount);
        foreach (var (etag, row) in model)
        {
            Assert.True(table.TryGetByIndex(ByName, row.AsSpan(1, 8), out var primaryKey, out var found));
            Assert.Equal(etag, BinaryPrimitives.ReadInt64BigEndian(primaryKey));
            Assert.True(found.SequenceEqual(row));
        }
        using var cursor = table.OpenCursor(ByCollection);
        var walked = new List<(int, long)>();
        for (bool any = cursor.SeekFirst(); any; any = cursor.MoveNext())
            walked.Add((cursor.IndexKey[0], BinaryPrimitives.ReadInt64BigEndian(cursor.PrimaryKey)));
        var expected = model.Where(row => row.Value[0] != 0).Select(row => ((int)row.Value[0], row.Key)).Order();
        Assert.Equal(expected, walked);
    }

    private static List<string> ProblemsOf(HeapPages transaction, Table table)
    {
        var pages = new CheckedPages(transaction);
        table.Check(pages);
        return pages.Problems;
    }

    private static int NameOf(ReadOnlySpan<byte> row, ReadOnlySpan<byte> primaryKey, Span<byte> destination)
    {
        row.Slice(1, 8).CopyTo(destination);
        return 8;
    }

    private static int CollectionOf(ReadOnlySpan<byte> row, ReadOnlySpan<byte> primaryKey, Span<byte> destination)
    {
        destination[0] = row[0];
        return row[0] == 0 ? -1 : 1;
    }

    private static byte[] Key(long etag)
    {
        var key = new byte[8];
        BinaryPrimitives.WriteInt64BigEndian(key, etag);
        return key;
    }

    private static byte[] Row(byte collection, long name, int length)
    {
        var row = new byte[length];
        new Random((int)name).NextBytes(row);
        row[0] = collection;
        BinaryPrimitives.WriteInt64BigEndian(row.AsSpan(1), name);
        return row;
    }
}
