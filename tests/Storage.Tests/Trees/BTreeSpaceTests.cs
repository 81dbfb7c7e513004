using System.Buffers.Binary;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Trees;
using Xunit;

namespace Jackdaw.Storage.Tests.Trees;

public sealed class BTreeSpaceTests
{
    [Theory]
    [InlineData(8)]
    [InlineData(100)]
    [InlineData(1000)]
    public void Ascending_keys_fill_pages_to_85_percent_at_least(int valueBytes)
    {
        using var writer = HeapStore.SingleWriter();
        var tree = writer.Catalog.OpenTree("t");
        var value = new byte[valueBytes];
        for (long key = 0; key < 20_000; key++)
            tree.Put(Key(key), value);
        Assert.InRange(LeafFill(writer, tree), 0.85, 1);
        CheckedPages.RequireSound(writer);
    }

    [Fact]
    public void Several_ascending_runs_side_by_side_fill_their_pages_too()
    {
        using var writer = HeapStore.SingleWriter();
        var tree = writer.Catalog.OpenTree("t");
        for (long key = 0; key < 40_000; key++)
            tree.Put([(byte)(key * 7 % 8), .. Key(key)], Key(key));
        Assert.InRange(LeafFill(writer, tree), 0.85, 1);
        CheckedPages.RequireSound(writer);
    }

    [Fact]
    public void Random_keys_fill_pages_to_65_percent_at_least()
    {
        using var writer = HeapStore.SingleWriter();
        var tree = writer.Catalog.OpenTree("t");
        var random = new Random(1);
        for (int i = 0; i < 40_000; i++)
            tree.Put(Key(random.NextInt64()), Key(i));
        Assert.InRange(LeafFill(writer, tree), 0.65, 1);
    }

    [Fact]
    public void Rewriting_every_row_ten_times_under_fresh_ascending_keys_takes_less_than_twice_the_pages_of_one_load()
    {
        const int Rows = 4000;
        using var writer = HeapStore.SingleWriter();
        var tree = writer.Catalog.OpenTree("t");
        var random = new Random(1);
        var row = new byte[1000];
        long next = 0;
        var keys = new long[Rows];
        for (int i = 0; i < Rows; i++)
            tree.Put(Key(keys[i] = next++), row);
        long once = tree.PageCount;
        long most = once;
        for (int round = 0; round < 10; round++)
        {
            random.Shuffle(keys);
            for (int i = 0; i < Rows; i++)
            {
                Assert.True(tree.Delete(Key(keys[i])));
                tree.Put(Key(keys[i] = next++), row);
                most = Math.Max(most, tree.PageCount);
            }
        }
        CheckedPages.RequireSound(writer);
        Assert.InRange(most, once, 2 * once - 1);
        Assert.InRange(writer.PageCount, once, 2 * once - 1);
    }

    [Fact]
    public void A_tree_whose_entries_are_all_deleted_keeps_one_page_and_a_cleared_one_none()
    {
        using var writer = HeapStore.SingleWriter();
        var tree = writer.Catalog.OpenTree("t");
        for (long key = 0; key < 5000; key++)
            tree.Put(Key(key), new byte[key % 40 == 0 ? 20_000 : 50]);
        Assert.True(tree.State.Depth > 2 || tree.State.OverflowPages > 0);
        for (long key = 0; key < 5000; key++)
            tree.Delete(Key(key));
        Assert.Equal(1, tree.PageCount);
        tree.Put(Key(1), Key(1));
        tree.Clear();
        Assert.Equal(0, tree.PageCount);
        Assert.False(tree.Contains(Key(1)));
        tree.Put(Key(1), Key(1));
        CheckedPages.RequireSound(writer);
    }

    [Fact]
    public void A_change_of_one_value_in_place_writes_one_page()
    {
        using var store = new HeapStore();
        using (var load = store.BeginWrite())
        {
            for (long key = 0; key < 20_000; key++)
                load.Catalog.OpenTree("t").Put(Key(key), Key(key));
            load.Commit();
        }
        using var writer = store.BeginWrite();
        writer.Catalog.OpenTree("t").Put(Key(12_345), Key(1));
        Assert.Equal(1, writer.WrittenPages);
        writer.Catalog.WriteBack();
        Assert.Equal(1, writer.WrittenPages);
    }

    [Fact]
    public void Look_ups_steps_and_writes_in_place_allocate_nothing()
    {
        using var writer = HeapStore.SingleWriter();
        var tree = writer.Catalog.OpenTree("t");
        var key = new byte[8];
        for (long i = 0; i < 5000; i++)
            tree.Put(Key(i), Key(i));
        Touch(tree, key);
        long before = GC.GetAllocatedBytesForCurrentThread();
        long walked = Touch(tree, key);
        Assert.Equal(before, GC.GetAllocatedBytesForCurrentThread());
        Assert.Equal(5000 * 16, walked);
    }

    private static long Touch(BTree tree, byte[] key)
    {
        for (long i = 0; i < 1000; i++)
        {
            BinaryPrimitives.WriteInt64BigEndian(key, i * 3);
            tree.TryGet(key, out var value);
            tree.Put(key, value);
            tree.Delete(key);
            tree.Put(key, key);
        }
        using var cursor = tree.OpenCursor();
        long sum = 0;
        for (bool any = cursor.SeekFirst(); any; any = cursor.MoveNext())
            sum += cursor.Key.Length + cursor.Value.Length;
        return sum;
    }

    /// <summary>Bytes used in leaves over their capacity, as their own counts say.</summary>
    private static unsafe double LeafFill(HeapPages transaction, BTree tree)
    {
        long used = 0;
        long leaves = 0;
        for (long number = 1; number < transaction.PageCount; number++)
        {
            if (transaction.IsFree(number))
                continue;
            var page = new TreePage(transaction.ReadPage(number));
            if (page.Header->Kind != PageKind.TreeLeaf)
                continue;
            used += page.UsedBytes;
            leaves++;
        }
        Assert.Equal(tree.State.LeafPages, leaves);
        return (double)used / (leaves * TreePage.Capacity);
    }

    private static byte[] Key(long value)
    {
        var key = new byte[8];
        BinaryPrimitives.WriteInt64BigEndian(key, value);
        return key;
    }
}
