using System.Buffers.Binary;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Tables;
using Jackdaw.Storage.Tests.Trees;
using Jackdaw.Storage.Trees;
using Xunit;

namespace Jackdaw.Storage.Tests.Tables;

/// <summary>Rows that stay, marked as dead, until they are removed with their neighbours. Rows are shaped as
/// <see cref="TableModelTests"/> says.</summary>
public sealed class DeadRowTests
{
    private const int RowBytes = 500;

    private static readonly TableSchema Schema = new("documents") { KeepsDeadRows = true };
    private static readonly TableIndex ByName = Schema.AddIndex("name", isUnique: true, TableModelTests.NameOf);
    private static readonly TableIndex ByEtag = Schema.AddIndex(
        "etag",
        isUnique: true,
        static (_, key, destination) => Copy(key, destination),
        holdsPrimaryKey: true
    );

    [Fact]
    public void A_replaced_row_is_shown_to_nobody_although_it_is_there()
    {
        using var writer = HeapStore.SingleWriter();
        var table = Filled(writer, 20);
        Replace(table, 3, 21);
        Replace(table, 20, 22);
        Assert.True(table.Delete(Key(22)));
        Assert.True(table.Delete(Key(1)));

        Assert.Equal((18, 2), (table.EntryCount, table.DeadRowCount));
        Assert.Equal(20, table.Rows.EntryCount);
        foreach (long gone in new long[] { 1, 3, 20, 22 })
        {
            Assert.False(table.TryGet(Key(gone), out _));
            Assert.False(table.Delete(Key(gone)));
        }
        Assert.False(table.TryGetByIndex(ByName, Key(20), out _, out _));
        Assert.True(table.TryGetByIndex(ByName, Key(3), out var moved, out _));
        Assert.Equal(21, BinaryPrimitives.ReadInt64BigEndian(moved));
        long[] live = [2, .. Enumerable.Range(4, 16), 21];
        using var rows = table.OpenCursor();
        Assert.Equal(live, Walk(rows.SeekFirst(), rows.MoveNext, () => rows.Key));
        Assert.Equal(live.Reverse(), Walk(rows.SeekLast(), rows.MovePrevious, () => rows.Key));
        Assert.Equal([4], Walk(rows.Seek(Key(3)), () => false, () => rows.Key));
        using var entries = table.OpenCursor(ByEtag);
        Assert.Equal(live, Walk(entries.SeekFirst(), entries.MoveNext, () => entries.PrimaryKey));
        Assert.Equal(live.Reverse(), Walk(entries.SeekLast(), entries.MovePrevious, () => entries.PrimaryKey));
        Assert.Equal([2], Walk(entries.SeekBefore(Key(4)), () => false, () => entries.PrimaryKey));
        Assert.Empty(TableModelTests.ProblemsOf(writer, table));
    }

    [Fact]
    public void A_dead_row_cannot_be_replaced_or_updated()
    {
        using var writer = HeapStore.SingleWriter();
        var table = Filled(writer, 3);
        Replace(table, 1, 4);
        Assert.Throws<InvariantViolationException>(() => table.Replace(Key(1), Key(5), Row(1)));
        Assert.Throws<InvariantViolationException>(() => table.Update(Key(1), Row(1)));
    }

    [Fact]
    public void Removing_goes_on_where_it_ended_and_round_until_the_share_is_kept()
    {
        using var writer = HeapStore.SingleWriter();
        var table = Filled(writer, 100);
        for (long etag = 1; etag <= 60; etag++)
            Replace(table, etag, 100 + etag);
        Assert.Equal(0, table.Vacuum(share: 0.7, atMost: 1000));
        Assert.Equal(5, table.Vacuum(share: 0.5, atMost: 5));
        Assert.Equal([6], Marked(table)[..1]);
        Assert.Equal(6, table.Vacuum(share: 0.5, atMost: 1000)); // 49 rows are less than half of a hundred
        Replace(table, 101, 161);
        Replace(table, 110, 162);
        // At the end of the keys it goes back to the beginning.
        Assert.Equal(49 + 2, table.Vacuum(share: 0, atMost: 1000));
        Replace(table, 99, 163);
        Assert.Equal(1, table.Vacuum(share: 0, atMost: 1000));
        Assert.Equal((100, 0), (table.EntryCount, table.DeadRowCount));
        Assert.Equal(100, table.Rows.EntryCount);
        Assert.Equal(100, table.IndexTree(ByEtag).EntryCount);
        Assert.Empty(TableModelTests.ProblemsOf(writer, table));
    }

    /// <summary>What it is for: two thousand rows, every tenth replaced, touch every page; so do their removals, but all of a
    /// page's at once.</summary>
    [Fact]
    public void Marking_rows_on_many_pages_changes_few_pages()
    {
        using var store = new HeapStore();
        using (var writer = store.BeginWrite())
        {
            Filled(writer, 2000);
            writer.Commit();
        }
        using var second = store.BeginWrite();
        var table = second.Catalog.OpenTable(Schema);
        long before = table.Rows.PageCount;
        for (long etag = 1; etag <= 2000; etag += 10)
            Replace(table, etag, 2000 + etag);
        Assert.Equal(200, table.DeadRowCount);
        // The rows went to the end, and no old page lost one.
        Assert.InRange(table.Rows.PageCount - before, 200 * RowBytes / 8192, 20);
        Assert.Equal(1, second.Catalog.OpenFixedTree<Marks>("documents/dead").PageCount);
    }

    [Fact]
    public void A_row_that_is_to_go_at_once_goes_at_once()
    {
        using var writer = HeapStore.SingleWriter();
        var table = Filled(writer, 10);
        table.Replace(Key(4), Key(11), Row(4), atOnce: true);
        Assert.Equal((10, 0), (table.EntryCount, table.DeadRowCount));
        Assert.Equal(10, table.IndexTree(ByEtag).EntryCount);
        Assert.Empty(TableModelTests.ProblemsOf(writer, table));
    }

    [Fact]
    public void A_large_row_goes_at_once()
    {
        using var writer = HeapStore.SingleWriter();
        var table = writer.Catalog.OpenTable(Schema);
        table.Insert(Key(1), TableModelTests.Row(1, name: 1, length: DeadRows.MaxRowBytes + 1));
        table.Insert(Key(2), TableModelTests.Row(1, name: 2, length: 50_000));
        table.Replace(Key(1), Key(3), Row(1));
        Assert.True(table.Delete(Key(2)));
        Assert.Equal((1, 0), (table.EntryCount, table.DeadRowCount));
        Assert.Equal(0, table.Rows.State.OverflowPages);
        Assert.Empty(TableModelTests.ProblemsOf(writer, table));
    }

    [Fact]
    public void When_everything_is_deleted_nothing_dead_is_left()
    {
        using var writer = HeapStore.SingleWriter();
        var table = Filled(writer, 3000);
        for (long etag = 1; etag <= 1000; etag++)
            Replace(table, etag, 3000 + etag);
        for (long etag = 1001; etag <= 4000; etag++)
        {
            Assert.True(table.Delete(Key(etag)));
            table.Vacuum(share: 0.5, atMost: 2);
        }
        Assert.Equal((0, 0), (table.EntryCount, table.DeadRowCount));
        Assert.Equal(1, table.Rows.PageCount);
        Assert.Equal(1, table.IndexTree(ByEtag).PageCount);
        Assert.Empty(TableModelTests.ProblemsOf(writer, table));
    }

    [Fact]
    public void Dropping_a_table_gives_back_dead_rows_and_their_marks()
    {
        using var writer = HeapStore.SingleWriter();
        var table = Filled(writer, 100);
        for (long etag = 1; etag <= 40; etag++)
            Replace(table, etag, 100 + etag);
        Assert.True(writer.Catalog.DropTable(Schema));
        Assert.Equal(1, writer.UsedPages);
        Assert.Equal((0, 0), (writer.Catalog.OpenTable(Schema).EntryCount, writer.Catalog.OpenTable(Schema).DeadRowCount));
    }

    [Fact]
    public void The_check_reports_marks_without_a_row_and_wrong_counters()
    {
        using var writer = HeapStore.SingleWriter();
        var table = Filled(writer, 10);
        Replace(table, 2, 11);
        table.Rows.Delete(Key(2));
        var problems = TableModelTests.ProblemsOf(writer, table);
        Assert.Contains(problems, problem => problem.Contains("row 2 is marked, and there is none", StringComparison.Ordinal));
        Assert.Contains(problems, problem => problem.Contains("counts 1 dead rows of 500 bytes", StringComparison.Ordinal));

        table.Dead!.CountLive(7);
        table.Rows.Put(Key(2), Row(2));
        Assert.Contains(
            TableModelTests.ProblemsOf(writer, table),
            problem => problem.Contains("beside 5007 bytes of live ones", StringComparison.Ordinal)
        );
    }

    private static Table Filled(Jackdaw.Storage.Transactions.PageTransaction writer, int rows)
    {
        var table = writer.Catalog.OpenTable(Schema);
        for (long etag = 1; etag <= rows; etag++)
            table.Insert(Key(etag), Row(etag));
        return table;
    }

    private static void Replace(Table table, long etag, long newEtag)
    {
        Assert.True(table.TryGet(Key(etag), out var row));
        table.Replace(Key(etag), Key(newEtag), row.ToArray());
    }

    private static List<long> Marked(Table table) => [.. table.Dead!.Keys()];

    private delegate ReadOnlySpan<byte> KeyReader();

    private static List<long> Walk(bool any, Func<bool> move, KeyReader key)
    {
        var keys = new List<long>();
        for (; any; any = move())
            keys.Add(BinaryPrimitives.ReadInt64BigEndian(key()));
        return keys;
    }

    private static byte[] Key(long etag) => TableModelTests.Key(etag);

    private static byte[] Row(long name) => TableModelTests.Row(1, name, RowBytes);

    private static int Copy(ReadOnlySpan<byte> key, Span<byte> destination)
    {
        key.CopyTo(destination);
        return key.Length;
    }

    [System.Runtime.InteropServices.StructLayout(System.Runtime.InteropServices.LayoutKind.Sequential, Size = DeadRows.WordBytes)]
    private struct Marks;
}
