using System.Buffers.Binary;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Tables;
using Jackdaw.Storage.Tests.Trees;
using Jackdaw.Storage.Trees;
using Xunit;

namespace Jackdaw.Storage.Tests.Tables;

/// <summary>
/// Rows shaped as documents are: primary key = etag; row = collection (1 byte), name (8 bytes), rubbish. One unique index by
/// name, one not unique
/// by collection, which leaves collection 0 out.
/// </summary>
public sealed class TableModelTests
{
    private static readonly TableSchema Schema = new("documents");
    private static readonly TableIndex ByName = Schema.AddIndex("name", isUnique: true, NameOf);
    private static readonly TableIndex ByCollection = Schema.AddIndex("collection", isUnique: false, CollectionOf);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_table_keeps_its_indexes_in_step_through_any_operations(bool keepsDeadRows)
    {
        foreach (int seed in Seed.Some(5))
        {
            try
            {
                new TableModel(keepsDeadRows).Run(seed);
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

    internal static List<string> ProblemsOf(HeapPages transaction, Table table)
    {
        var pages = new CheckedPages(transaction);
        table.Check(pages);
        return pages.Problems;
    }

    internal static int NameOf(ReadOnlySpan<byte> row, ReadOnlySpan<byte> primaryKey, Span<byte> destination)
    {
        row.Slice(1, 8).CopyTo(destination);
        return 8;
    }

    internal static int CollectionOf(ReadOnlySpan<byte> row, ReadOnlySpan<byte> primaryKey, Span<byte> destination)
    {
        destination[0] = row[0];
        return row[0] == 0 ? -1 : 1;
    }

    internal static byte[] Key(long etag)
    {
        var key = new byte[8];
        BinaryPrimitives.WriteInt64BigEndian(key, etag);
        return key;
    }

    internal static byte[] Row(byte collection, long name, int length)
    {
        var row = new byte[length];
        new Random((int)name).NextBytes(row);
        row[0] = collection;
        BinaryPrimitives.WriteInt64BigEndian(row.AsSpan(1), name);
        return row;
    }
}
