using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Processes;
using Jackdaw.Indexing.Queries;
using Jackdaw.Indexing.Rql;
using Jackdaw.Indexing.Running;
using Xunit;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>Queries with misspelled collections make automatic indexes. These must not use up what other queries need.</summary>
public class EmptyCollectionIndexTests
{
    private const int MaxIndexes = 3;

    private readonly ManualClock _clock = new();
    private readonly List<string> _told = [];

    [Fact]
    public async Task Indexes_of_collections_without_documents_give_way_to_those_of_others()
    {
        await using var db = await OpenAsync();
        await db.PutAsync("users/1", "Users", "");
        await db.EnsureAsync("Users", "name");
        for (int i = 0; i < 10; i++)
        {
            _clock.Advance(IndexingLimits.QueryWait);
            await db.EnsureAsync($"Usres{i}", "name");
        }
        _clock.Advance(IndexingLimits.QueryWait);
        await db.PutAsync("orders/1", "Orders", "");
        await db.PutAsync("products/1", "Products", "");
        await db.EnsureAsync("Orders", "total");
        await db.EnsureAsync("Products", "price");

        Assert.Equal(["Auto/Orders/Bytotal", "Auto/Products/Byprice", "Auto/Users/Byname"], db.Indexes.All.Select(index => index.Name));
        _clock.Advance(IndexingLimits.QueryWait);
        await Assert.ThrowsAsync<TooManyIndexesException>(() => db.EnsureAsync("Usres", "name"));
    }

    [Fact]
    public async Task One_that_was_just_made_or_found_does_not_give_way_until_no_query_waits_for_it_any_more()
    {
        await using var db = await OpenAsync();
        foreach (string collection in (string[])["A", "B", "C"])
            await db.EnsureAsync(collection, "x");
        _clock.Advance(IndexingLimits.QueryWait - TimeSpan.FromTicks(1));
        await Assert.ThrowsAsync<TooManyIndexesException>(() => db.EnsureAsync("D", "x"));
        Assert.Equal(["Auto/A/Byx", "Auto/B/Byx", "Auto/C/Byx"], db.Indexes.All.Select(index => index.Name));

        // A query finds one of them by its fields, another one by its name.
        Assert.NotNull(db.Indexes.FindAutomatic(IndexedDatabase.Over("A", "x")));
        Assert.NotNull(IndexChoice.Find(db.Database, Plan("from index 'Auto/B/Byx' where x = 1")).Index);
        _clock.Advance(TimeSpan.FromTicks(1));
        await db.EnsureAsync("D", "x");
        Assert.Equal(["Auto/A/Byx", "Auto/B/Byx", "Auto/D/Byx"], db.Indexes.All.Select(index => index.Name));
        await Assert.ThrowsAsync<TooManyIndexesException>(() => db.EnsureAsync("E", "x"));
    }

    /// <summary>Those that wait for an index that another one has deleted make theirs again, and delete another one's.</summary>
    [Fact]
    public async Task Of_more_queries_that_wait_than_there_may_be_indexes_as_many_are_answered_and_the_others_refused()
    {
        const int Queries = 12;
        await using var db = await OpenAsync();
        await db.PutAsync("users/1", "Users", "");
        long etag = db.Database.LastDurableEtag;
        // Nobody's wait ends while they all come.
        db.Indexes.Pause();
        using var end = new CancellationTokenSource();
        var queries = Enumerable.Range(0, Queries).Select(i => AskAsync($"from Usres{i} where name = 'a'")).ToList();
        try
        {
            await Eventually.IsAsync(() => queries.Count(query => query.IsCompleted) == Queries - MaxIndexes);
            db.Indexes.Resume();
            bool[] areAnswered = await Task.WhenAll(queries).WaitAsync(Eventually.Patience);

            Assert.Equal(MaxIndexes, areAnswered.Count(isAnswered => isAnswered));
            Assert.Equal(MaxIndexes, db.Indexes.All.Count);
            Assert.Empty(_told);
        }
        finally
        {
            await end.CancelAsync();
            await Task.WhenAll(queries).ContinueWith(_ => { }, TaskScheduler.Default);
        }

        async Task<bool> AskAsync(string query)
        {
            using var chosen = new ChosenIndex(db.Database, Plan(query), WaitAsync);
            try
            {
                await chosen.ChooseAsync(end.Token);
                using var moment = await chosen.OpenAsync("test", end.Token);
                return true;
            }
            catch (TooManyIndexesException)
            {
                return false;
            }
        }

        async Task WaitAsync(IndexChoice choice, CancellationToken cancellation) =>
            Assert.True(await choice.Index!.WaitForAsync(etag, Eventually.Patience, cancellation));
    }

    [Fact]
    public async Task The_one_goes_that_was_not_used_for_the_longest_time_and_the_reason_is_told()
    {
        await using var db = await OpenAsync();
        foreach (string collection in (string[])["A", "B", "C"])
        {
            await db.EnsureAsync(collection, "x");
            _clock.Advance(IndexingLimits.QueryWait);
        }
        Assert.NotNull(db.Indexes.FindAutomatic(IndexedDatabase.Over("A", "x")));
        await db.EnsureAsync("D", "x");

        Assert.Equal(["Auto/A/Byx", "Auto/C/Byx", "Auto/D/Byx"], db.Indexes.All.Select(index => index.Name));
        string line = Assert.Single(_told);
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
        _clock.Advance(IndexingLimits.QueryWait);
        await Assert.ThrowsAsync<TooManyIndexesException>(() => db.EnsureAsync("D", "x"));
        await db.DeleteAsync("a/1");
        _clock.Advance(IndexingLimits.QueryWait);
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
        _clock.Advance(IndexingLimits.QueryWait);

        await Assert.ThrowsAsync<TooManyIndexesException>(() => db.EnsureAsync("D", "x"));

        await db.Indexes.SetDisabledAsync("Auto/B/Byx", isDisabled: false);
        await db.EnsureAsync("D", "x");
        Assert.Equal(["Auto/A/Byx", "Auto/C/Byx", "Auto/D/Byx"], db.Indexes.All.Select(index => index.Name));
    }

    private Task<IndexedDatabase> OpenAsync() =>
        IndexedDatabase.OpenAsync(IndexedDatabase.Options() with { MaxAutoIndexes = MaxIndexes, Clock = _clock, Found = _told.Add });

    private static QueryPlan Plan(string query) => QueryPlanner.Plan(query, RqlParameters.None);
}
