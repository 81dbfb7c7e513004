using Jackdaw.Storage.Trees;
using Xunit;

namespace Jackdaw.Storage.Tests.Trees;

/// <summary>Trees that keep counts know ranks, whatever was done to them.</summary>
public sealed class CountedTreeTests
{
    private static readonly BTreeOptions Counted = new() { KeepsCounts = true };

    [Theory]
    [InlineData(KeyPattern.Random)]
    [InlineData(KeyPattern.Ascending)]
    [InlineData(KeyPattern.Descending)]
    [InlineData(KeyPattern.Clustered)]
    [InlineData(KeyPattern.LongSharedPrefix)]
    [InlineData(KeyPattern.Longest)]
    [InlineData(KeyPattern.LongSeparators)]
    public void A_counted_tree_knows_every_rank_that_a_sorted_list_knows(KeyPattern pattern)
    {
        foreach (int seed in Seed.Some(4))
        {
            try
            {
                Run(pattern, seed);
            }
            catch (Exception failure)
            {
                throw new InvalidOperationException($"JACKDAW_SEED={seed}, {pattern}: {failure.Message}", failure);
            }
        }
    }

    [Fact]
    public void Counts_are_written_at_the_end_of_a_batch_and_not_where_only_values_change()
    {
        using var store = new HeapStore();
        Fill(store, 20_000);
        using var writer = store.BeginWrite();
        var tree = writer.Catalog.OpenTree("t", Counted);
        tree.Put(Key(7_000), new byte[30]);
        Assert.Equal(1, writer.WrittenPages);
        tree.Delete(Key(7_000));
        tree.Delete(Key(7_002));
        Assert.Equal(2, writer.WrittenPages);
        Assert.True(tree.NeedsCompletion);
        writer.Catalog.WriteBack();
        Assert.False(tree.NeedsCompletion);
        Assert.Equal(3, writer.WrittenPages); // the catalog's, too
        Assert.Equal(7_001, tree.Rank(Key(7_003)));
    }

    [Fact]
    public void Ascending_insertions_fill_the_pages_of_a_counted_tree_too()
    {
        using var store = new HeapStore();
        Fill(store, 100_000);
        using var reader = store.BeginRead();
        var tree = reader.Catalog.OpenTree("t");
        Assert.True(tree.State.Depth > 2);
        double entriesALeaf = (double)tree.EntryCount / tree.State.LeafPages;
        int fitting = TreePage.Capacity / TreePage.EntrySize(6, 30);
        Assert.True(entriesALeaf > 0.9 * fitting, $"{entriesALeaf} entries a leaf, {fitting} fit");
    }

    [Fact]
    public unsafe void The_check_finds_a_count_that_is_wrong()
    {
        using var store = new HeapStore();
        Fill(store, 20_000);
        using (var writer = store.BeginWrite())
        {
            var tree = writer.Catalog.OpenTree("t", Counted);
            ++*new TreePage(writer.ModifyPage(tree.State.RootPage)).CountBelow(3);
            Assert.Contains(CheckedPages.ProblemsOf(writer, tree), problem => problem.Contains("below slot 3", StringComparison.Ordinal));
        }
    }

    [Fact]
    public unsafe void A_commit_refuses_to_leave_counts_that_do_not_add_up()
    {
        using var store = new HeapStore();
        Fill(store, 20_000);
        using var writer = store.BeginWrite();
        var tree = writer.Catalog.OpenTree("t", Counted);
        ++*new TreePage(writer.ModifyPage(tree.State.RootPage)).CountBelow(3);
        tree.Put([1], [1]);
        Assert.ThrowsAny<Exception>(writer.Commit);
    }

    [Fact]
    public void A_tree_keeps_the_options_that_it_was_made_with()
    {
        using var store = new HeapStore();
        Fill(store, 10);
        using var writer = store.BeginWrite();
        Assert.True(writer.Catalog.OpenTree("t").KeepsCounts);
        Assert.ThrowsAny<Exception>(() => writer.Catalog.OpenTree("t", new BTreeOptions { KeepsCounts = true, Embeds = new(0) }));
        writer.Catalog.OpenTree("t").Clear();
        Assert.True(writer.Catalog.OpenTree("t").KeepsCounts);
        Assert.ThrowsAny<Exception>(() => writer.Catalog.OpenTree("plain").Rank([1]));
    }

    private static void Run(KeyPattern pattern, int seed)
    {
        var random = new Random(seed);
        using var store = new HeapStore();
        var committed = new TreeModel();
        int next = 0;
        for (int batch = 0; batch < 10; batch++)
        {
            using var writer = store.BeginWrite();
            var tree = writer.Catalog.OpenTree("t", Counted);
            var model = new TreeModel(committed);
            int deletions = batch < 6 ? 15 : 75;
            for (int i = 0; i < 400; i++)
            {
                byte[][] keys = random.Next(20) == 0 ? [.. model.Keys] : [];
                if (random.Next(100) >= deletions || model.Count == 0)
                    model.Put(tree, pattern.Next(next++, random), new byte[random.Next(12) == 0 ? random.Next(5_000) : random.Next(600)]);
                else
                    model.Delete(tree, model.Keys.ElementAt(random.Next(model.Count)));
                if (keys.Length > 0)
                    RequireRanks(tree, [.. model.Keys], pattern.Next(random.Next(next), random), random);
            }
            if (random.Next(6) == 0)
            {
                long pages = random.Next(1, 20);
                if (writer.Catalog.DropSome("t", pages))
                    model = new TreeModel();
                else
                    model = model.First(tree.EntryCount);
                tree = writer.Catalog.OpenTree("t", Counted);
            }
            model.RequireSameEntries(tree);
            CheckedPages.RequireSound(writer);
            RequireRanks(tree, [.. model.Keys], pattern.Next(random.Next(next), random), random);
            if (random.Next(4) == 0)
                continue; // rolled back
            writer.Commit();
            committed = model;
            using var reader = store.BeginRead();
            RequireRanks(reader.Catalog.OpenTree("t"), [.. model.Keys], pattern.Next(random.Next(next), random), random);
        }
    }

    private static void RequireRanks(BTree tree, byte[][] keys, byte[] sought, Random random)
    {
        long rank = keys.Count(key => key.AsSpan().SequenceCompareTo(sought) < 0);
        Assert.Equal(rank, tree.Rank(sought));
        Assert.Equal(0, tree.Rank([]));
        using var cursor = tree.OpenCursor();
        Assert.False(cursor.SeekRank(-1) || cursor.SeekRank(keys.Length));
        for (int i = 0; i < 8 && keys.Length > 0; i++)
        {
            int at = random.Next(keys.Length);
            Assert.True(cursor.SeekRank(at) && cursor.Key.SequenceEqual(keys[at]));
            Assert.Equal(at + 1 < keys.Length, cursor.MoveNext());
            Assert.Equal(at, tree.Rank(keys[at]));
            Assert.Equal(Math.Max(0, at - rank), tree.CountRange(sought, keys[at]));
        }
    }

    private static void Fill(HeapStore store, int count)
    {
        using var writer = store.BeginWrite();
        var tree = writer.Catalog.OpenTree("t", Counted);
        for (int i = 0; i < count; i++)
            tree.Put(Key(i), new byte[30]);
        writer.Commit();
    }

    private static byte[] Key(int number) => KeyPattern.Ascending.Next(number, Random.Shared);
}
