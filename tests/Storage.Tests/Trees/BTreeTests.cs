using System.Text;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Space;
using Jackdaw.Storage.Trees;
using Xunit;

namespace Jackdaw.Storage.Tests.Trees;

public sealed class BTreeTests
{
    [Fact]
    public void Keys_that_are_empty_or_too_long_are_refused_and_nothing_is_written()
    {
        using var writer = HeapStore.SingleWriter();
        var tree = writer.Catalog.OpenTree("t");
        Assert.Throws<ArgumentException>(() => tree.Put([], [1]));
        Assert.Throws<LimitExceededException>(() => tree.Put(new byte[BTree.MaxKeyBytes + 1], [1]));
        Assert.Throws<LimitExceededException>(() => tree.Reserve([1], BTree.MaxValueBytes + 1, out _));
        Assert.False(tree.Contains([]));
        Assert.False(tree.Contains(new byte[BTree.MaxKeyBytes + 1]));
        Assert.Equal(0, tree.EntryCount);
        tree.Put(new byte[BTree.MaxKeyBytes], [1]);
        Assert.True(tree.Contains(new byte[BTree.MaxKeyBytes]));
    }

    [Fact]
    public void The_largest_value_fills_the_longest_run_and_one_byte_more_is_refused_as_a_value()
    {
        Assert.Equal(FreeSpace.MaxRunPages, BTree.OverflowRunLength(BTree.MaxValueBytes));
        using var writer = HeapStore.SingleWriter();
        var tree = writer.Catalog.OpenTree("t");
        var refusal = Assert.Throws<LimitExceededException>(() => tree.Reserve([1], BTree.MaxValueBytes + 1, out _));
        Assert.Equal((BTree.MaxValueBytes + 1, BTree.MaxValueBytes), (refusal.Size, refusal.Limit));
        Assert.StartsWith("The value", refusal.Message, StringComparison.Ordinal);
        Assert.Equal(0, tree.EntryCount);
    }

    [Fact]
    public void A_value_read_from_a_page_can_be_put_back_under_any_key_of_the_tree()
    {
        using var writer = HeapStore.SingleWriter();
        var tree = writer.Catalog.OpenTree("t");
        foreach (int length in new[] { 1, 100, 1500, 4000, 20_000 })
        {
            var value = new byte[length];
            new Random(length).NextBytes(value);
            tree.Put("first"u8, value);
            for (int i = 0; i < 30; i++)
            {
                tree.TryGet("first"u8, out var stored);
                tree.Put(Encoding.UTF8.GetBytes($"e{i}"), stored);
                tree.TryGet("first"u8, out stored);
                tree.Put("first"u8, stored);
            }
            foreach (string key in new[] { "first", "e0", "e29" })
            {
                Assert.True(tree.TryGet(Encoding.UTF8.GetBytes(key), out var found));
                Assert.True(found.SequenceEqual(value));
            }
        }
        CheckedPages.RequireSound(writer);
    }

    [Fact]
    public void A_cursor_of_a_tree_that_was_modified_says_so_and_can_seek_again()
    {
        using var writer = HeapStore.SingleWriter();
        var tree = writer.Catalog.OpenTree("t");
        tree.Put("a"u8, "1"u8);
        tree.Put("b"u8, "2"u8);
        using var cursor = tree.OpenCursor();
        Assert.True(cursor.SeekFirst());
        tree.Put("c"u8, "3"u8);
        Assert.Throws<InvalidOperationException>(() => cursor.MoveNext());
        Assert.Throws<InvalidOperationException>(() => cursor.Key.Length);
        Assert.True(cursor.Seek("bb"u8));
        Assert.Equal("c", Encoding.UTF8.GetString(cursor.Key));
        Assert.False(cursor.MoveNext());
        Assert.Throws<InvalidOperationException>(() => cursor.Value.Length);
    }

    [Fact]
    public void Seeking_before_a_key_finds_the_last_entry_before_it()
    {
        using var writer = HeapStore.SingleWriter();
        var tree = writer.Catalog.OpenTree("t");
        for (int i = 10; i < 2000; i++)
            tree.Put(Encoding.UTF8.GetBytes($"{i:D5}"), "v"u8);
        using var cursor = tree.OpenCursor();
        Assert.False(cursor.SeekBefore("00010"u8));
        Assert.True(cursor.SeekBefore("00500"u8));
        Assert.Equal("00499", Encoding.UTF8.GetString(cursor.Key));
        Assert.True(cursor.SeekBefore("x"u8));
        Assert.Equal("01999", Encoding.UTF8.GetString(cursor.Key));
    }

    [Fact]
    public void A_reader_finds_an_empty_tree_where_there_is_none_and_does_not_create_it()
    {
        using var store = new HeapStore();
        using (var reader = store.BeginRead())
        {
            Assert.False(reader.Catalog.TryOpenTree("t", out _));
            var tree = reader.Catalog.OpenTree("t");
            using var cursor = tree.OpenCursor();
            Assert.False(tree.Contains("a"u8) || cursor.SeekFirst() || cursor.SeekLast() || cursor.Seek("a"u8));
            Assert.Throws<InvariantViolationException>(() => tree.Put("a"u8, "1"u8));
        }
        using (var writer = store.BeginWrite())
        {
            writer.Catalog.OpenTree("t");
            writer.Commit();
        }
        using var later = store.BeginRead();
        Assert.Equal([("t", StructureKind.BTree)], later.Catalog.Entries());
    }

    [Fact]
    public void A_catalog_that_is_invalidated_reads_the_states_again()
    {
        using var writer = HeapStore.SingleWriter();
        var tree = writer.Catalog.OpenTree("t");
        tree.Put("a"u8, "1"u8);
        writer.Catalog.WriteBack();
        tree.Put("b"u8, "2"u8);
        writer.Catalog.Invalidate();
        Assert.Same(tree, writer.Catalog.OpenTree("t"));
        Assert.Equal(1, tree.EntryCount); // what was written back
    }

    [Fact]
    public unsafe void The_check_reports_damage_in_any_byte_that_gives_a_page_its_shape_and_never_fails_itself()
    {
        using var writer = HeapStore.SingleWriter();
        var tree = writer.Catalog.OpenTree("t");
        for (int i = 0; i < 3000; i++)
            tree.Put(Encoding.UTF8.GetBytes($"key/{i * 7919 % 3000:D6}/{new string('x', i % 12)}"), new byte[i % 500 == 0 ? 9000 : i % 60]);
        Assert.Empty(CheckedPages.ProblemsOf(writer, tree));
        var random = new Random(1);
        int reported = 0;
        const int Damages = 600;
        long[] nodes = [.. NodesOf(tree)];
        for (int i = 0; i < Damages; i++)
        {
            byte* page = writer.ReadPage(nodes[random.Next(nodes.Length)]);
            int at = random.Next(6) switch
            {
                0 => 4, // kind
                1 => 6, // entries
                2 => 16, // page number
                3 => random.Next(32, 38), // prefix length, start of cells, dead bytes
                _ => random.Next(40, 40 + 8 * ((PageHeader*)page)->Count), // slots
            };
            byte before = page[at];
            page[at] ^= (byte)(1 << random.Next(8));
            if (CheckedPages.ProblemsOf(writer, tree).Count > 0)
                reported++;
            else
                Assert.True(at >= 40, $"damage at {at} was not reported");
            page[at] = before;
        }
        Assert.Empty(CheckedPages.ProblemsOf(writer, tree));
        Assert.True(reported > Damages / 2);
    }

    private static IEnumerable<long> NodesOf(BTree tree)
    {
        var waiting = new Queue<(long Page, int Depth)>([(tree.State.RootPage, tree.State.Depth)]);
        while (waiting.TryDequeue(out var next))
        {
            yield return next.Page;
            var page = tree.ReadNode(next.Page, isLeaf: next.Depth == 1);
            for (int i = 0; i < page.Count && next.Depth > 1; i++)
                waiting.Enqueue((page.Child(i), next.Depth - 1));
        }
    }
}
