using Jackdaw.Storage.Memory;
using Jackdaw.Storage.Scratch;
using Xunit;

namespace Jackdaw.Storage.Tests.Memory;

/// <summary>No pool keeps more than its bound, whatever is asked of it, and what nobody needs is given back.</summary>
public sealed unsafe class KeptMemoryTests
{
    /// <summary>Each size of run had a free list of its own, and none had a bound: sixteen bursts kept sixteen times as much.</summary>
    [Fact]
    public void Bursts_of_every_kind_leave_no_more_scratch_than_the_bound()
    {
        const long Bound = 8L << 20;
        using var pool = new ScratchPool("test", maxKeptBytes: Bound);
        for (int run = 1; run <= 20; run++)
        {
            var slots = new List<nint>();
            for (long bytes = 0; bytes < 24L << 20; bytes += run * 8192L)
                slots.Add((nint)pool.Take(run));
            foreach (nint slot in slots)
                pool.Return((ScratchSlot*)slot);
            Assert.InRange(pool.KeptBytes, 0, Bound);
            Assert.Equal((0, pool.KeptBytes), (pool.UsedBytes, pool.AllocatedBytes));
        }
    }

    [Fact]
    public void Scratch_that_nobody_needed_between_two_trims_is_given_back_and_what_is_in_use_stays()
    {
        using var pool = new ScratchPool("test");
        var held = pool.Take(1);
        *ScratchSlot.PageOf(held) = 77;
        var slots = Enumerable.Range(0, 2000).Select(i => (nint)pool.Take(1 + i % 3)).ToList();
        foreach (nint slot in slots)
            pool.Return((ScratchSlot*)slot);
        Assert.True(pool.KeptBytes > 1 << 20);
        pool.Trim();
        long kept = pool.KeptBytes;
        Assert.True(pool.Trim() > 0 && pool.KeptBytes < kept);
        Assert.Equal(0, pool.KeptBytes);
        // One block, of which a single slot is in use.
        Assert.Equal(128 * (8192 + 64), pool.AllocatedBytes);
        Assert.Equal(77, *ScratchSlot.PageOf(held));
        pool.Return(held);
        pool.Trim();
        pool.Trim();
        Assert.Equal(0, pool.AllocatedBytes);
    }

    [Fact]
    public void What_is_used_again_and_again_is_not_trimmed()
    {
        using var pool = new ScratchPool("test");
        for (int round = 0; round < 5; round++)
        {
            var slots = Enumerable.Range(0, 300).Select(_ => (nint)pool.Take(1)).ToList();
            foreach (nint slot in slots)
                pool.Return((ScratchSlot*)slot);
            pool.Trim();
            Assert.True(pool.KeptBytes > 0);
        }
    }

    [Fact]
    public void Scratch_is_drawn_from_the_allowance_and_keeps_nothing_while_others_need_it()
    {
        var allowance = new MemoryAllowance(4L << 20);
        using var pool = new ScratchPool("test", allowance: allowance);
        var one = pool.Take(10);
        Assert.Equal(pool.AllocatedBytes, allowance.UsedBytes);
        pool.Return(one);
        Assert.True(pool.KeptBytes > 0);
        Assert.True(allowance.Account("index").TryTake(3L << 20));
        var other = pool.Take(9);
        pool.Return(other);
        Assert.Equal(3L << 20, allowance.Account("index").UsedBytes);
        Assert.True(pool.KeptBytes < 11 * 8192);
        Assert.Equal(("scratch", pool.AllocatedBytes), allowance.Accounts().Single(account => account.Owner == "scratch"));
    }

    /// <summary>What a load of documents had left was kept beside what the indexes built afterwards took.</summary>
    [Fact]
    public void Empty_blocks_of_one_pool_are_used_by_the_others_and_all_together_keep_the_bound()
    {
        const long Bound = 16L << 20;
        var allowance = new MemoryAllowance(1L << 30);
        using var reserve = new ScratchReserve(allowance, Bound);
        using var documents = new ScratchPool("documents", allowance: allowance, reserve: reserve);
        using var index = new ScratchPool("index", allowance: allowance, account: "scratch of indexes", reserve: reserve);
        TakeAndReturn(documents, pages: 8000);
        Assert.InRange(reserve.KeptBytes, Bound - (2 << 20), Bound);
        Assert.Equal(documents.AllocatedBytes + reserve.KeptBytes, allowance.Account("scratch").UsedBytes);
        var mapped = allowance.UsedBytes;

        var slots = Enumerable.Range(0, 1500).Select(_ => (nint)index.Take(1)).ToList();
        Assert.Equal(mapped, allowance.UsedBytes);
        Assert.Equal(index.AllocatedBytes, allowance.Account("scratch of indexes").UsedBytes);
        slots.ForEach(slot => index.Return((ScratchSlot*)slot));
        TakeAndReturn(index, pages: 8000);
        Assert.InRange(reserve.KeptBytes, 0, Bound);
        Assert.InRange(documents.KeptBytes + index.KeptBytes, 0, 9 << 20);

        for (var looks = 0; looks < 2; looks++)
        {
            reserve.Trim();
            documents.Trim();
            index.Trim();
        }
        Assert.Equal((0, 0), (reserve.KeptBytes, allowance.UsedBytes));
    }

    [Fact]
    public void A_reserve_keeps_an_eighth_of_the_allowance_at_most_and_what_is_used_again_and_again_is_not_trimmed()
    {
        var allowance = new MemoryAllowance(64L << 20);
        using var reserve = new ScratchReserve(allowance);
        using var pool = new ScratchPool("test", allowance: allowance, reserve: reserve);
        Assert.Equal(8L << 20, reserve.MaxKeptBytes);
        for (var round = 0; round < 5; round++)
        {
            TakeAndReturn(pool, pages: 4000);
            reserve.Trim();
            Assert.InRange(reserve.KeptBytes, 1 << 20, reserve.MaxKeptBytes);
        }
    }

    private static void TakeAndReturn(ScratchPool pool, int pages)
    {
        var slots = Enumerable.Range(0, pages).Select(_ => (nint)pool.Take(1)).ToList();
        slots.ForEach(slot => pool.Return((ScratchSlot*)slot));
    }

    [Fact]
    public void Arrays_of_all_sizes_together_are_kept_up_to_the_bound_and_trimmed()
    {
        var pool = new BytePool("test", maxKeptBytes: 3L << 20);
        foreach (int length in new[] { 100, 64 << 10, (64 << 10) + 1, 128 << 10, 1 << 20, 4 << 20, (4 << 20) + 1, 50 << 20 })
        {
            var arrays = Enumerable.Range(0, 40).Select(_ => pool.Rent(length)).ToList();
            Assert.All(arrays, array => Assert.True(array.Length >= length));
            arrays.ForEach(pool.Return);
            Assert.InRange(pool.KeptBytes, 0, pool.MaxKeptBytes);
        }
        Assert.True(pool.KeptBytes > 0);
        var again = pool.Rent(100_000);
        pool.Return(again);
        Assert.Same(again, pool.Rent(100_000));
        pool.Return(again);
        pool.Trim();
        pool.Trim();
        Assert.Equal(0, pool.KeptBytes);
    }
}
