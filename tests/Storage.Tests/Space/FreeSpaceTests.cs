using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Space;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Storage.Tests.Space;

public class FreeSpaceTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void Random_allocations_take_the_first_place_that_fits_and_grow_only_when_none_does(int round)
    {
        int seed = Seeds.Of(round);
        output.WriteLine($"seed {seed} (JACKDAW_SEED)");
        using var model = new FreeSpaceModel(seed);
        for (int transaction = 0; transaction < 300; transaction++)
            model.RunTransaction();
        Assert.True(model.Groups >= 2, "the run was to cross a group boundary");
        Assert.True(model.Aborted > 0 && model.Refused > 0 && model.Freed > 1000);
    }

    [Fact]
    public void A_page_freed_twice_or_never_allocated_is_an_invariant_violation()
    {
        using var store = new SparsePages.Store();
        using var tx = Fresh(store, out FreeSpace space);
        long page = space.Allocate(tx, 3);
        Assert.Equal(2, page);
        space.Free(tx, page + 1, 1);
        Assert.Throws<InvariantViolationException>(() => space.Free(tx, page + 1, 1));
        Assert.Throws<InvariantViolationException>(() => space.Free(tx, page, 3));
        Assert.Throws<InvariantViolationException>(() => space.Free(tx, tx.PageCount, 1));
        Assert.Throws<InvariantViolationException>(() => space.Free(tx, PageLayout.MetaPage, 1));
        Assert.Throws<InvariantViolationException>(() => space.Free(tx, 1, 1));
        Assert.True(FreeSpace.IsInUse(tx, page) && !FreeSpace.IsInUse(tx, page + 1) && FreeSpace.IsInUse(tx, page + 2));
    }

    [Fact]
    public void The_longest_run_fills_a_group_and_leaves_its_bitmap_page_out()
    {
        using var store = new SparsePages.Store();
        using var tx = Fresh(store, out FreeSpace space);
        Assert.Throws<LimitExceededException>(() => space.Allocate(tx, FreeSpace.MaxRunPages + 1));
        Assert.Equal(2, space.Allocate(tx, FreeSpace.MaxRunPages));
        Assert.Equal(PageLayout.GroupPages + 2, space.Allocate(tx, FreeSpace.MaxRunPages));
        Assert.Equal(PageLayout.GroupPages, space.Allocate(tx, 1)); // the page before the second bitmap page
        Assert.True(FreeSpace.IsInUse(tx, PageLayout.GroupPages + 1));
    }

    [Fact]
    public void A_refused_growth_changes_nothing()
    {
        using var store = new SparsePages.Store { MaxPages = 10 };
        using var tx = Fresh(store, out FreeSpace space);
        Assert.Equal(2, space.Allocate(tx, 6));
        Assert.Throws<DiskFullException>(() => space.Allocate(tx, 3));
        long free = FreeSpace.FreeCount(tx);
        Assert.Equal(8, space.Allocate(tx, 2));
        Assert.Throws<DiskFullException>(() => space.Allocate(tx, 1));
        space.Free(tx, 4, 1);
        Assert.Equal(4, space.Allocate(tx, 1));
        Assert.Equal(tx.PageCount - 10, FreeSpace.FreeCount(tx));
        Assert.True(free <= 2);
    }

    [Fact]
    public void A_bitmap_page_is_copied_only_by_a_transaction_that_changes_it()
    {
        using var store = new SparsePages.Store();
        var hints = new FreeSpaceHints();
        using (var tx = Fresh(store, out FreeSpace space, hints))
        {
            space.Allocate(tx, FreeSpace.MaxRunPages);
            space.Allocate(tx, 10);
            tx.Commit();
        }
        hints.Forget();
        using var second = new SparsePages(store, new Random(1));
        new FreeSpace(hints).Allocate(second, 1); // scans the full first group, takes from the second
        Assert.Equal(1, second.ChangedPages);
    }

    private static SparsePages Fresh(SparsePages.Store store, out FreeSpace space, FreeSpaceHints? hints = null)
    {
        var tx = new SparsePages(store, new Random(1));
        tx.GrowFile(2);
        space = new FreeSpace(hints ?? new FreeSpaceHints());
        space.Initialize(tx);
        return tx;
    }
}
