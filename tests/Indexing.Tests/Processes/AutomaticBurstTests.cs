using Jackdaw.Documents.Errors;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Processes;
using Xunit;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>Many new queries at once.</summary>
public class AutomaticBurstTests
{
    private const int Queries = 20;

    [Fact]
    public async Task Twenty_new_queries_at_once_build_a_few_indexes_that_answer_all_of_them()
    {
        int made = 0;
        await using var db = await IndexedDatabase.OpenAsync(
            IndexedDatabase.Options() with
            {
                StepReached = step => made += step == IndexStep.Recorded ? 1 : 0,
            }
        );
        await db.PutAsync("users/1", "Users", "\"f0\":1");
        await db.CatchUpAsync(await db.EnsureAsync("Users", "f0"));
        made = 0;

        var indexes = await Task.WhenAll(Enumerable.Range(1, Queries).Select(i => Task.Run(() => db.EnsureAsync("Users", $"f{i}"))));

        for (int i = 1; i <= Queries; i++)
            Assert.True(AutoIndexDefinitions.Covers(indexes[i - 1].Definition, IndexedDatabase.Over("Users", $"f{i}")));
        Assert.InRange(made, 1, 4);
        await Eventually.IsAsync(() => db.Indexes.All.Count == 1);
        Assert.Equal(Queries + 1, db.Indexes.All[0].Definition.Fields.Count);
    }

    [Fact]
    public async Task A_first_query_of_a_collection_waits_for_no_others_and_a_burst_of_several_collections_is_kept_apart()
    {
        await using var db = await IndexedDatabase.OpenAsync(IndexedDatabase.Options() with { MergeDelay = Timeout.InfiniteTimeSpan });

        var indexes = await Task.WhenAll(db.EnsureAsync("Users", "name"), db.EnsureAsync("Orders", "total"), db.EnsureAsync(null, "name"));

        Assert.Equal(["Auto/Users/Byname", "Auto/Orders/Bytotal", "Auto/AllDocs/Byname"], indexes.Select(index => index.Name));
    }

    [Fact]
    public async Task A_query_that_waits_for_others_ends_with_its_client_and_with_its_database()
    {
        var db = await IndexedDatabase.OpenAsync(IndexedDatabase.Options() with { MergeDelay = TimeSpan.FromHours(1) });
        await db.EnsureAsync("Users", "name");
        using var gone = new CancellationTokenSource();
        var ofClientThatGoes = db.Indexes.EnsureAutomaticAsync(IndexedDatabase.Over("Users", "age"), gone.Token);
        var waiting = db.EnsureAsync("Users", "city");

        await gone.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => ofClientThatGoes);
        await db.DisposeAsync().AsTask().WaitAsync(Eventually.Patience);
        await Assert.ThrowsAnyAsync<DatabaseUnavailableException>(() => waiting);
    }

    [Fact]
    public async Task A_locked_index_is_not_extended_and_one_locked_with_an_error_refuses_the_query()
    {
        await using var db = await IndexedDatabase.OpenAsync();
        var byName = await db.EnsureAsync("Users", "name");
        await db.Indexes.SetLockModeAsync([byName.Name], IndexLockMode.LockedIgnore);

        var byAge = await db.EnsureAsync("Users", "age");

        Assert.Equal(("Auto/Users/Byage", false), (byAge.Name, byAge.IsReplacement));
        Assert.Equal(2, db.Indexes.All.Count);

        await db.Indexes.SetLockModeAsync([byName.Name], IndexLockMode.LockedError);
        var refusal = await Assert.ThrowsAsync<IndexLockedException>(() => db.EnsureAsync("Users", "city"));
        Assert.Contains("'Auto/Users/Byname' is locked (LockedError)", refusal.Message, StringComparison.Ordinal);
        // What it has, it answers; and nobody else is held up.
        Assert.Same(byName, await db.EnsureAsync("Users", "name"));
        Assert.Equal("Auto/Orders/Bycity", (await db.EnsureAsync("Orders", "city")).Name);

        await db.Indexes.SetLockModeAsync([byName.Name], IndexLockMode.Unlock);
        Assert.Equal("Auto/Users/ByageAndcityAndname", (await db.EnsureAsync("Users", "city")).Name);
    }
}
