using System.Text;
using Jackdaw.Storage.Trees;
using Xunit;

namespace Jackdaw.Storage.Tests.Trees;

public sealed class BTreeModelTests
{
    private const int Batches = 12;
    private const int OperationsABatch = 220;

    [Theory]
    [InlineData(KeyPattern.Random)]
    [InlineData(KeyPattern.Ascending)]
    [InlineData(KeyPattern.Descending)]
    [InlineData(KeyPattern.Clustered)]
    [InlineData(KeyPattern.LongSharedPrefix)]
    [InlineData(KeyPattern.Nested)]
    [InlineData(KeyPattern.Zeros)]
    [InlineData(KeyPattern.Longest)]
    [InlineData(KeyPattern.LongSeparators)]
    public void A_tree_answers_as_a_sorted_dictionary_does(KeyPattern pattern)
    {
        foreach (int seed in Seed.Some(6))
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
    public void Keys_that_share_nothing_with_a_full_branch_are_set_apart()
    {
        using var writer = HeapStore.SingleWriter();
        var tree = writer.Catalog.OpenTree("t");
        var model = new TreeModel();
        var random = new Random(1);
        var value = new byte[900];
        int[] order = [.. Enumerable.Range(0, 1500)];
        random.Shuffle(order);
        foreach (int n in order)
            model.Put(tree, Encoding.UTF8.GetBytes($"{new string('p', 1000)}{n:D4}"), value);
        Assert.Equal(1, tree.State.BranchPages); // two hundred separators of 1,000 bytes and more share their prefix
        for (int n = 0; n < 300; n++)
        {
            model.Put(tree, Encoding.UTF8.GetBytes($"a{random.Next(10_000)}"), value);
            model.Put(tree, Encoding.UTF8.GetBytes($"z{random.Next(10_000)}"), value);
            if (n % 10 == 0)
                CheckedPages.RequireSound(writer);
        }
        model.RequireSameEntries(tree);
    }

    // Every step of it is followed by a check of the whole tree.
    [Fact]
    [Trait("Category", "Slow")]
    public void Deleting_back_from_the_right_edge_takes_down_branches_with_a_single_child()
    {
        using var writer = HeapStore.SingleWriter();
        var tree = writer.Catalog.OpenTree("t");
        var model = new TreeModel();
        int n = 0;
        while (tree.State.Depth < 3)
            model.Put(tree, KeyPattern.Ascending.Next(n++, Random.Shared), new byte[3900]);
        Assert.Equal(3, tree.State.BranchPages); // the root, the full one, and a new one with a single child
        model.Delete(tree, KeyPattern.Ascending.Next(--n, Random.Shared));
        Assert.Equal(1, tree.State.BranchPages);
        CheckedPages.RequireSound(writer);
        for (int more = 0; more < 900; more++)
            model.Put(tree, KeyPattern.Ascending.Next(n++, Random.Shared), new byte[3900]);
        while (n > 0)
        {
            model.Delete(tree, KeyPattern.Ascending.Next(--n, Random.Shared));
            if (n % 50 == 0 || tree.State.Depth == 3)
                CheckedPages.RequireSound(writer);
        }
        Assert.Equal(1, tree.PageCount);
    }

    private static void Run(KeyPattern pattern, int seed)
    {
        var random = new Random(seed);
        bool small = random.Next(2) == 0;
        using var store = new HeapStore();
        var committed = new TreeModel();
        int next = 0;
        for (int batch = 0; batch < Batches; batch++)
        {
            using var writer = store.BeginWrite();
            using var reader = store.BeginRead();
            var tree = writer.Catalog.OpenTree("t");
            var model = new TreeModel(committed);
            int deletions = batch < Batches / 2 ? 20 : 70;
            for (int i = 0; i < OperationsABatch; i++)
                RunOperation(pattern, random, small, deletions, tree, model, ref next);
            model.RequireSameEntries(tree);
            for (int i = 0; i < 20; i++)
                model.RequireSeek(tree, pattern.Next(random.Next(next + 1), random));
            CheckedPages.RequireSound(writer);
            committed.RequireSameEntries(reader.Catalog.OpenTree("t"));
            if (random.Next(4) == 0)
                continue; // rolled back
            writer.Commit();
            committed = model;
        }
        DeleteEverything(store, committed, random);
    }

    private static void RunOperation(
        KeyPattern pattern,
        Random random,
        bool small,
        int deletions,
        BTree tree,
        TreeModel model,
        ref int next
    )
    {
        if (random.Next(100) >= deletions)
            model.Put(tree, pattern.Next(next++, random), Value(random, small));
        else if (model.Count > 0 && random.Next(10) != 0)
            model.Delete(tree, AnyKey(model, random));
        else
            model.Delete(tree, pattern.Next(random.Next(next + 1), random));
        if (model.Count == 0)
            return;
        byte[] key = AnyKey(model, random);
        model.RequireValue(tree, key);
        if (random.Next(4) == 0)
            model.Put(tree, key, Value(random, small));
    }

    private static void DeleteEverything(HeapStore store, TreeModel model, Random random)
    {
        using var writer = store.BeginWrite();
        var tree = writer.Catalog.OpenTree("t");
        byte[][] keys = [.. model.Keys];
        if (random.Next(2) == 0)
            random.Shuffle(keys);
        foreach (byte[] key in keys)
            model.Delete(tree, key);
        Assert.Equal(0, tree.EntryCount);
        Assert.Equal(1, tree.PageCount);
        CheckedPages.RequireSound(writer);
        writer.Commit();
    }

    private static byte[] AnyKey(TreeModel model, Random random) => model.Keys.ElementAt(random.Next(model.Count));

    private static byte[] Value(Random random, bool small)
    {
        int length = random.Next(small ? 20 : 8) switch
        {
            0 => TreePage.MaxEntryBytes - random.Next(60),
            1 => random.Next(8150, 8170),
            2 => random.Next(2000, 4200),
            3 => random.Next(16_000, 40_000),
            4 => 0,
            5 => OverflowReference.Size,
            _ => random.Next(small ? 30 : 500),
        };
        var value = new byte[length];
        random.NextBytes(value);
        return value;
    }
}
