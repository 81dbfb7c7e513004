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
        KeyPattern pattern, Random random, bool small, int deletions, BTree tree, TreeModel model, ref int next)
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
