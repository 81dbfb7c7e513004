using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Trees;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Storage.Tests.Trees;

public class FixedSizeTreeTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void A_set_of_keys_agrees_with_a_sorted_map(int round) =>
        RunModel(round, _ => default(Nothing), keySpace: 30_000, transactions: 30);

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void A_map_to_small_values_agrees_with_a_sorted_map(int round) =>
        RunModel(round, random => (random.Next(), random.Next(), random.Next()), keySpace: 30_000, transactions: 30);

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void A_deep_tree_of_large_values_agrees_with_a_sorted_map(int round) =>
        RunModel(round, static random => Wide.From(random.Next()), keySpace: 12_000, transactions: 40);

    [Theory]
    [InlineData(1)]
    [InlineData(-1)]
    [InlineData(7919)]
    public void Keys_inserted_in_any_order_and_deleted_leave_one_page(int step)
    {
        const int count = 20_011; // a prime: every step visits every key
        using var store = new HeapStore();
        using var tx = store.BeginWrite();
        var core = NewTree<Wide>(tx, out var tree);
        for (int i = 0; i < count; i++)
            Assert.True(tree.Put(KeyAt(i), Wide.From(i)));
        CollectingVisitor.Verify(core);
        Assert.True(core.State.Depth >= 3, "the tree was to have branches below branches");
        for (int i = count - 1; i >= 0; i--)
        {
            Assert.True(tree.Delete(KeyAt(i)));
            Assert.False(tree.Delete(KeyAt(i)));
        }
        CollectingVisitor.Verify(core);
        Assert.Equal((0L, 1L), (tree.EntryCount, tree.PageCount));
        Assert.Equal(2, tx.UsedPages); // this one and the meta page

        long KeyAt(int i) => (((long)i * step) % count + count) % count - count / 2;
    }

    /// <summary>
    /// A branch's first child can go, and the key that the next one has then bounds nothing: lower keys come under it, and when
    /// it splits, the
    /// new separator is below that key. Searching the branch once looked at it, so that keys were put where nobody found them.
    /// </summary>
    [Fact]
    public void Keys_below_the_first_key_of_a_branch_that_lost_its_first_child_are_found()
    {
        using var tx = HeapStore.SingleWriter();
        var core = NewTree<Wide>(tx, out var tree);
        for (long key = 0; key < 400; key++)
            tree.Put(key, Wide.From(key));
        for (long key = 0; key < 100; key++)
            tree.Delete(key);
        for (long key = 99; key >= 0; key--)
            Assert.True(tree.Put(key, Wide.From(key)));
        CollectingVisitor.Verify(core);
        for (long key = 0; key < 400; key++)
            Assert.True(tree.Contains(key), $"{key} is lost");
    }

    [Fact]
    public void Ascending_inserts_fill_the_pages()
    {
        using var tx = HeapStore.SingleWriter();
        var core = NewTree<long>(tx, out var tree);
        for (long key = -100_000; key < 100_000; key++)
            tree.Put(key, key);
        CollectingVisitor.Verify(core);
        double fill = 200_000.0 * 16 / (core.State.LeafPages * (double)PageLayout.BodySize);
        Assert.True(fill > 0.99, $"fill {fill:P1}");
    }

    [Fact]
    public void Deleting_at_random_keeps_the_pages_filled()
    {
        using var tx = HeapStore.SingleWriter();
        var core = NewTree<long>(tx, out var tree);
        var random = new Random(5);
        long[] keys = [.. Enumerable.Range(0, 100_000).Select(i => (long)i)];
        foreach (long key in keys)
            tree.Put(key, key);
        random.Shuffle(keys);
        foreach (long key in keys.Skip(5_000))
            tree.Delete(key);
        CollectingVisitor.Verify(core);
        double fill = 5_000.0 * 16 / (core.State.LeafPages * (double)PageLayout.BodySize);
        Assert.True(fill > 0.3, $"fill {fill:P1}");
    }

    [Fact]
    public void A_set_takes_eight_bytes_a_key_and_another_value_size_is_refused()
    {
        using var tx = HeapStore.SingleWriter();
        var core = NewTree<Nothing>(tx, out var tree);
        for (int key = 0; key < 1020; key++)
            tree.Put(key, default);
        Assert.Equal(1, tree.PageCount);
        Assert.Throws<InvariantViolationException>(() => new FixedSizeTree<int>(core));
        tree.Clear();
        Assert.Equal(0, tree.PageCount);
        _ = new FixedSizeTree<int>(core);
    }

    [Fact]
    public void A_cursor_of_a_modified_tree_throws()
    {
        using var tx = HeapStore.SingleWriter();
        NewTree<int>(tx, out var tree);
        tree.Put(1, 1);
        tree.Put(2, 2);
        var cursor = tree.OpenCursor();
        Assert.True(cursor.SeekFirst());
        tree.Put(2, 3);
        Assert.Throws<InvalidOperationException>(() => cursor.MoveNext());
        Assert.True(cursor.Seek(2));
        Assert.Equal(3, cursor.Value);
        Assert.False(cursor.MoveNext());
    }

    [Theory]
    [InlineData("order")]
    [InlineData("kind")]
    [InlineData("count")]
    [InlineData("loop")]
    [InlineData("lost entry")]
    public unsafe void A_check_reports_damage_and_ends(string damage)
    {
        using var tx = HeapStore.SingleWriter();
        var core = NewTree<Wide>(tx, out var tree);
        for (int i = 0; i < 5_000; i++)
            tree.Put(i, Wide.From(i));
        FixedSizeNode root = core.ReadBranch(core.State.RootPage);
        FixedSizeNode leaf = core.ReadLeaf(core.ReadBranch(root.Child(0)).Child(1));
        switch (damage)
        {
            case "order":
                leaf.Keys[0] = 5_000;
                break;
            case "kind":
                leaf.Header->Kind = PageKind.FixedBranch;
                break;
            case "count":
                leaf.Header->Count = 60_000;
                break;
            case "loop":
                *(long*)root.Value(0) = core.State.RootPage;
                break;
            case "lost entry":
                leaf.Header->Count--;
                break;
        }
        var visitor = new CollectingVisitor();
        core.Check(visitor);
        Assert.NotEmpty(visitor.Problems);
    }

    private static FixedSizeTree NewTree<TValue>(HeapPages tx, out FixedSizeTree<TValue> tree)
        where TValue : unmanaged
    {
        var core = new FixedSizeTree(tx, "tree") { State = new TreeState { Kind = StructureKind.FixedSizeTree } };
        tree = new FixedSizeTree<TValue>(core);
        return core;
    }

    private void RunModel<TValue>(int round, Func<Random, TValue> newValue, int keySpace, int transactions)
        where TValue : unmanaged
    {
        int seed = Seeds.Of(round);
        output.WriteLine($"seed {seed} (JACKDAW_SEED)");
        using var model = new FixedSizeTreeModel<TValue>(seed, newValue, keySpace);
        for (int i = 0; i < transactions; i++)
            model.RunTransaction();
        Assert.True(model.MostEntries > 2_000 && model.Aborted > 0);
    }

    /// <summary>1,000 bytes, all derived from one number, all compared.</summary>
    private unsafe struct Wide : IEquatable<Wide>
    {
        private const int Length = 125;
        private fixed long _numbers[Length];

        public static Wide From(long number)
        {
            var wide = default(Wide);
            for (int i = 0; i < Length; i++)
                wide._numbers[i] = number + i;
            return wide;
        }

        public bool Equals(Wide other)
        {
            for (int i = 0; i < Length; i++)
                if (_numbers[i] != other._numbers[i])
                    return false;
            return true;
        }

        public override bool Equals(object? obj) => obj is Wide other && Equals(other);

        public override int GetHashCode() => _numbers[0].GetHashCode();
    }
}
