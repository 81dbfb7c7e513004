using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Processes;
using Xunit;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>Queries with misspelled collections make automatic indexes. These must not use up what other queries need.</summary>
public class EmptyCollectionIndexTests
{
    private const int MaxIndexes = 3;

    [Fact]
    public async Task Indexes_of_collections_without_documents_give_way_to_those_of_others()
    {
        await using var db = await OpenAsync();
        await db.PutAsync("users/1", "Users", "");
        await db.EnsureAsync("Users", "name");
        for (int i = 0; i < 10; i++)
            await db.EnsureAsync($"Usres{i}", "name");
        await db.PutAsync("orders/1", "Orders", "");
        await db.PutAsync("products/1", "Products", "");
        await db.EnsureAsync("Orders", "total");
        await db.EnsureAsync("Products", "price");

        Assert.Equal(["Auto/Orders/Bytotal", "Auto/Products/Byprice", "Auto/Users/Byname"], db.Indexes.All.Select(index => index.Name));
        await Assert.ThrowsAsync<TooManyIndexesException>(() => db.EnsureAsync("Usres", "name"));
    }

    [Fact]
    public async Task The_one_goes_that_was_not_used_for_the_longest_time_and_the_reason_is_told()
    {
        var clock = new ManualClock();
        var told = new List<string>();
        await using var db = await IndexedDatabase.OpenAsync(
            IndexedDatabase.Options() with
            {
                MaxAutoIndexes = MaxIndexes,
                Clock = clock,
                Found = told.Add,
            }
        );
        foreach (string collection in (string[])["A", "B", "C"])
        {
            await db.EnsureAsync(collection, "x");
            clock.Advance(TimeSpan.FromSeconds(1));
        }
        Assert.NotNull(db.Indexes.FindAutomatic(IndexedDatabase.Over("A", "x")));
        await db.EnsureAsync("D", "x");

        Assert.Equal(["Auto/A/Byx", "Auto/C/Byx", "Auto/D/Byx"], db.Indexes.All.Select(index => index.Name));
        string line = Assert.Single(told);
        Assert.Contains("'Auto/B/Byx'", line, StringComparison.Ordinal);
        Assert.Contains("has no documents", line, StringComparison.Ordinal);
        // A thousand of them must not push other findings out of the alerts.
        Assert.Empty(db.Indexes.Findings);
    }

    [Fact]
    public async Task An_index_whose_documents_are_all_deleted_gives_way_and_a_locked_one_does_not()
    {
        await using var db = await OpenAsync();
        await db.PutAsync("a/1", "A", "");
        foreach (string collection in (string[])["A", "B", "C"])
            await db.EnsureAsync(collection, "x");
        await db.Indexes.SetLockModeAsync(["Auto/B/Byx", "Auto/C/Byx"], IndexLockMode.LockedIgnore);
        await Assert.ThrowsAsync<TooManyIndexesException>(() => db.EnsureAsync("D", "x"));
        await db.DeleteAsync("a/1");
        await db.EnsureAsync("D", "x");

        Assert.Equal(["Auto/B/Byx", "Auto/C/Byx", "Auto/D/Byx"], db.Indexes.All.Select(index => index.Name));
    }

    /// <summary>An operator has switched it off. Removed, it would come back with the next query and run.</summary>
    [Fact]
    public async Task A_disabled_index_of_a_collection_without_documents_stays()
    {
        await using var db = await OpenAsync();
        foreach (string collection in (string[])["A", "B", "C"])
        {
            await db.EnsureAsync(collection, "x");
            await db.Indexes.SetDisabledAsync($"Auto/{collection}/Byx", isDisabled: true);
        }

        await Assert.ThrowsAsync<TooManyIndexesException>(() => db.EnsureAsync("D", "x"));

        await db.Indexes.SetDisabledAsync("Auto/B/Byx", isDisabled: false);
        await db.EnsureAsync("D", "x");
        Assert.Equal(["Auto/A/Byx", "Auto/C/Byx", "Auto/D/Byx"], db.Indexes.All.Select(index => index.Name));
    }

    private static Task<IndexedDatabase> OpenAsync() =>
        IndexedDatabase.OpenAsync(IndexedDatabase.Options() with { MaxAutoIndexes = MaxIndexes });
}
