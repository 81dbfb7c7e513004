using System.Buffers.Binary;
using Jackdaw.Storage.Trees;
using Xunit;

namespace Jackdaw.Storage.Tests.Trees;

/// <summary>Trees that keep sums know the sum of any range, whatever was done to them; values change where they lie.</summary>
public sealed class SummedTreeTests
{
    private const int SumOffset = 3;
    private static readonly BTreeOptions Summed = new() { KeepsCounts = true, SumsAt = SumOffset };

    private static readonly BTreeOptions SummedWithStates = new()
    {
        KeepsCounts = true,
        SumsAt = SumOffset,
        Embeds = new EmbeddedStates(8),
    };

    [Theory]
    [InlineData(KeyPattern.Random)]
    [InlineData(KeyPattern.Ascending)]
    [InlineData(KeyPattern.Descending)]
    [InlineData(KeyPattern.Clustered)]
    [InlineData(KeyPattern.LongSharedPrefix)]
    [InlineData(KeyPattern.Longest)]
    public void A_summed_tree_knows_every_sum_that_a_sorted_list_knows(KeyPattern pattern)
    {
        foreach (int seed in Seed.Some(4))
        {
            try
            {
                Run(pattern, seed, seed % 2 == 0 ? Summed : SummedWithStates);
            }
            catch (Exception failure)
            {
                throw new InvalidOperationException($"JACKDAW_SEED={seed}, {pattern}: {failure.Message}", failure);
            }
        }
    }

    [Fact]
    public void A_value_that_is_replaced_by_one_with_the_same_number_leaves_the_branches_alone()
    {
        using var store = new HeapStore();
        Fill(store, 20_000);
        using var writer = store.BeginWrite();
        var tree = writer.Catalog.OpenTree("t", Summed);
        byte[] value = Value(7_000, 30);
        value[20] = 77;
        tree.Put(Key(7_000), value);
        Assert.Equal(1, writer.WrittenPages);
        Assert.False(tree.NeedsCompletion);
        tree.Put(Key(7_000), Value(7_001, 30));
        Assert.Equal(2, writer.WrittenPages);
        Assert.Equal(20_000L * 19_999 / 2 + 1, tree.Sum());
    }

    [Fact]
    public void Values_that_come_are_added_to_the_sums_above_them_and_no_leaf_is_read_again()
    {
        using var store = new HeapStore();
        Fill(store, 20_000);
        using var writer = store.BeginWrite();
        var tree = writer.Catalog.OpenTree("t", Summed);
        Assert.Equal(2, tree.State.Depth);
        Assert.True(tree.Delete(Key(7_000)));
        Assert.Equal(20_000L * 19_999 / 2 - 7_000, tree.Sum()); // the deletion marked its leaf, this look has counted it
        tree.Put(Key(7_000), Value(11_000, 20));
        tree.Put(Key(3_000), Value(5_000, 30));
        Assert.False(tree.NeedsCompletion);
        Assert.Equal(7_000, tree.Rank(Key(7_000)));
        Assert.Equal(20_000L * 19_999 / 2 + 6_000, tree.Sum());
        CheckedPages.RequireSound(writer);
    }

    [Fact]
    public void A_value_in_a_run_of_one_page_is_changed_by_writing_that_page_alone()
    {
        using var store = new HeapStore();
        using (var writer = store.BeginWrite())
        {
            var tree = writer.Catalog.OpenTree("t");
            for (int i = 0; i < 100; i++)
                tree.Put(Key(i), new byte[8_064]);
            writer.Commit();
        }
        using var second = store.BeginWrite();
        var changed = second.Catalog.OpenTree("t");
        Assert.True(changed.TryModify(Key(50), out var value));
        value[8_000] = 1;
        Assert.Equal(1, second.WrittenPages);
        second.Commit();
        using var reader = store.BeginRead();
        Assert.True(reader.Catalog.OpenTree("t").TryGet(Key(50), out var read) && read[8_000] == 1);
    }

    [Fact]
    public void A_run_of_several_pages_is_copied_once_and_then_changed_where_it_lies()
    {
        using var store = new HeapStore();
        using (var writer = store.BeginWrite())
        {
            writer.Catalog.OpenTree("t").Put(Key(1), new byte[30_000]);
            writer.Commit();
        }
        using (var before = store.BeginRead())
        using (var writer = store.BeginWrite())
        {
            var tree = writer.Catalog.OpenTree("t");
            for (int i = 0; i < 50; i++)
            {
                Assert.True(tree.TryModify(Key(1), out var value));
                value[600 * i] = (byte)(i + 1);
                Assert.Equal(2, writer.WrittenPages); // the leaf and the run
            }
            CheckedPages.RequireSound(writer);
            writer.Commit();
            Assert.True(before.Catalog.OpenTree("t").TryGet(Key(1), out var old) && !old.ContainsAnyExcept((byte)0));
        }
        using var reader = store.BeginRead();
        Assert.True(reader.Catalog.OpenTree("t").TryGet(Key(1), out var read) && read[600 * 49] == 50);
    }

    [Fact]
    public unsafe void The_check_finds_a_sum_that_is_wrong()
    {
        using var store = new HeapStore();
        Fill(store, 20_000);
        using var writer = store.BeginWrite();
        var tree = writer.Catalog.OpenTree("t", Summed);
        ++*new TreePage(writer.ModifyPage(tree.State.RootPage)).SumBelow(3);
        Assert.Contains(
            CheckedPages.ProblemsOf(writer, tree),
            problem => problem.Contains("a sum of", StringComparison.Ordinal) && problem.Contains("below slot 3", StringComparison.Ordinal)
        );
    }

    [Fact]
    public unsafe void A_commit_refuses_to_leave_a_sum_that_cannot_be()
    {
        using var store = new HeapStore();
        Fill(store, 20_000);
        using var writer = store.BeginWrite();
        var tree = writer.Catalog.OpenTree("t", Summed);
        *new TreePage(writer.ModifyPage(tree.State.RootPage)).SumBelow(3) = -1;
        tree.Put([1], [1]);
        Assert.ThrowsAny<Exception>(writer.Commit);
    }

    [Fact]
    public void Sums_need_counts_and_lie_outside_of_embedded_states()
    {
        using var writer = HeapStore.SingleWriter();
        Assert.ThrowsAny<Exception>(() => writer.Catalog.OpenTree("a", new BTreeOptions { SumsAt = 0 }));
        Assert.ThrowsAny<Exception>(() =>
            writer.Catalog.OpenTree(
                "b",
                new BTreeOptions
                {
                    KeepsCounts = true,
                    SumsAt = 13,
                    Embeds = new(16),
                }
            )
        );
        writer.Catalog.OpenTree(
            "c",
            new BTreeOptions
            {
                KeepsCounts = true,
                SumsAt = 12,
                Embeds = new(16),
            }
        );
        Assert.ThrowsAny<Exception>(() => writer.Catalog.OpenTree("d", new BTreeOptions { KeepsCounts = true }).SumBefore([1]));
    }

    private static void Run(KeyPattern pattern, int seed, BTreeOptions options)
    {
        var random = new Random(seed);
        using var store = new HeapStore();
        var committed = new SortedDictionary<byte[], byte[]>(ByteOrder.Instance);
        int next = 0;
        for (int batch = 0; batch < 10; batch++)
        {
            using var writer = store.BeginWrite();
            var tree = writer.Catalog.OpenTree("t", options);
            var model = new SortedDictionary<byte[], byte[]>(ByteOrder.Instance);
            foreach (var (key, value) in committed)
                model.Add(key, [.. value]);
            for (int i = 0; i < 400; i++)
            {
                Change(tree, model, pattern, next++, batch < 6 ? 15 : 70, random);
                if (random.Next(20) == 0)
                    RequireSums(tree, model, pattern.Next(random.Next(next), random), random);
            }
            RequireEntries(tree, model, options);
            CheckedPages.RequireSound(writer);
            if (random.Next(4) == 0)
                continue; // rolled back
            writer.Commit();
            committed = model;
            using var reader = store.BeginRead();
            RequireSums(reader.Catalog.OpenTree("t"), model, pattern.Next(random.Next(next), random), random);
        }
    }

    private static void Change(
        BTree tree,
        SortedDictionary<byte[], byte[]> model,
        KeyPattern pattern,
        int number,
        int deletions,
        Random random
    )
    {
        int what = random.Next(100);
        if (what < deletions && model.Count > 0)
        {
            byte[] key = model.Keys.ElementAt(random.Next(model.Count));
            Assert.True(tree.Delete(key));
            model.Remove(key);
        }
        else if (what < deletions + 20 && model.Count > 0)
        {
            byte[] key = model.Keys.ElementAt(random.Next(model.Count));
            Assert.True(tree.TryModify(key, out var value));
            bool holdsStates = tree.Options.Embeds.Count != 0 && tree.Options.Embeds.AreIn(model[key].Length);
            Assert.Equal(holdsStates ? tree.Options.Embeds.Offset : model[key].Length, value.Length);
            for (int i = 0; i < value.Length; i++)
                model[key][i] = value[i] = random.Next(4) == 0 ? (byte)random.Next(256) : value[i];
        }
        else
        {
            byte[] key =
                random.Next(3) == 0 && model.Count > 0 ? model.Keys.ElementAt(random.Next(model.Count)) : pattern.Next(number, random);
            byte[] value = Value((uint)random.Next(), random.Next(12) == 0 ? random.Next(30_000) : random.Next(300));
            Assert.Equal(!model.ContainsKey(key), tree.Put(key, value));
            model[key] = value;
        }
    }

    private static void RequireEntries(BTree tree, SortedDictionary<byte[], byte[]> model, BTreeOptions options)
    {
        Assert.Equal(model.Count, tree.EntryCount);
        foreach (var (key, value) in model)
        {
            Assert.True(tree.TryGet(key, out var found) && found.Length == value.Length);
            int own = options.Embeds.Count != 0 && options.Embeds.AreIn(value.Length) ? options.Embeds.Offset : value.Length;
            Assert.True(found[..own].SequenceEqual(value.AsSpan(0, own)));
        }
    }

    private static void RequireSums(BTree tree, SortedDictionary<byte[], byte[]> model, byte[] sought, Random random)
    {
        long before = model.Where(pair => pair.Key.AsSpan().SequenceCompareTo(sought) < 0).Sum(pair => Number(pair.Value));
        Assert.Equal(before, tree.SumBefore(sought));
        Assert.Equal(0, tree.SumBefore([]));
        Assert.Equal(model.Values.Sum(Number), tree.Sum());
        if (model.Count == 0)
            return;
        byte[] other = model.Keys.ElementAt(random.Next(model.Count));
        var between = model
            .Where(pair => pair.Key.AsSpan().SequenceCompareTo(sought) >= 0 && pair.Key.AsSpan().SequenceCompareTo(other) < 0)
            .ToList();
        Assert.Equal((between.Count, between.Sum(pair => Number(pair.Value))), tree.CountAndSumRange(sought, other));
    }

    private static long Number(byte[] value) =>
        value.Length < SumOffset + 4 ? 0 : BinaryPrimitives.ReadUInt32LittleEndian(value.AsSpan(SumOffset));

    private static void Fill(HeapStore store, int count)
    {
        using var writer = store.BeginWrite();
        var tree = writer.Catalog.OpenTree("t", Summed);
        for (int i = 0; i < count; i++)
            tree.Put(Key(i), Value((uint)i, 30));
        writer.Commit();
    }

    private static byte[] Value(uint number, int bytes)
    {
        var value = new byte[bytes];
        if (bytes >= SumOffset + 4)
            BinaryPrimitives.WriteUInt32LittleEndian(value.AsSpan(SumOffset), number);
        return value;
    }

    private static byte[] Key(int number) => KeyPattern.Ascending.Next(number, Random.Shared);

    private sealed class ByteOrder : IComparer<byte[]>
    {
        public static readonly ByteOrder Instance = new();

        public int Compare(byte[]? x, byte[]? y) => x.AsSpan().SequenceCompareTo(y);
    }
}
