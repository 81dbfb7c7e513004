using Jackdaw.Documents;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Processes;
using Xunit;

namespace Jackdaw.Indexing.Tests.Processes;

public class IndexProcessTests
{
    [Fact]
    public async Task A_new_index_holds_the_documents_of_its_collection_and_follows_them()
    {
        await using var db = await IndexedDatabase.OpenAsync();
        await db.PutAsync("users/1", "Users", "\"name\":\"Ada\"");
        await db.PutAsync("orders/1", "Orders", "\"name\":\"no\"");
        var index = await db.EnsureAsync("Users", "name");
        Assert.Equal("Auto/Users/Byname", index.Name);
        await db.CatchUpAsync(index);
        Assert.Equal(new() { ["users/1"] = "id()=\"users/1\"\nname=\"Ada\"\n" }, IndexedDatabase.Contents(index));

        await db.PutAsync("users/2", "Users", "\"name\":\"Bo\"");
        await db.PutAsync("Users/1", "Users", "\"name\":\"Ida\"");
        await db.CatchUpAsync(index);
        Assert.Equal(["users/1", "users/2"], IndexedDatabase.Contents(index).Keys);
        Assert.Contains("Ida", IndexedDatabase.Contents(index)["users/1"]);

        await db.DeleteAsync("users/1");
        await db.CatchUpAsync(index);
        Assert.Equal(["users/2"], IndexedDatabase.Contents(index).Keys);
    }

    [Fact]
    public async Task An_index_of_all_documents_follows_each_collection()
    {
        await using var db = await IndexedDatabase.OpenAsync();
        var index = await db.EnsureAsync(null, "name");
        Assert.Equal("Auto/AllDocs/Byname", index.Name);
        await db.PutAsync("a", "Users", "\"name\":1");
        await db.PutAsync("b", "Orders", "\"name\":2");
        await db.DeleteAsync("a");
        await db.CatchUpAsync(index);
        Assert.Equal(["b"], IndexedDatabase.Contents(index).Keys);
    }

    [Fact]
    public async Task An_index_of_a_collection_whose_newest_change_is_a_forgotten_deletion_is_not_stale()
    {
        await using var db = await IndexedDatabase.OpenAsync(change: options =>
            options with
            {
                TombstoneCleaningInterval = TimeSpan.FromMilliseconds(10),
            }
        );
        await db.PutAsync("users/1", "Users", "");
        await db.PutAsync("users/2", "Users", "");
        await db.DeleteAsync("users/2");
        await Eventually.IsAsync(() => db.Database.Statistics().TombstoneCount == 0);
        var index = await db.EnsureAsync("Users", "name");
        await db.CatchUpAsync(index);
        Assert.False(index.IsStale());
    }

    [Fact]
    public async Task A_paused_index_turns_stale_and_goes_on_when_it_is_resumed()
    {
        await using var db = await IndexedDatabase.OpenAsync();
        var index = await db.EnsureAsync("Users", "name");
        await db.CatchUpAsync(index);
        Assert.True(db.Indexes.Pause(index.Name));
        Assert.Equal(IndexRunStatus.Paused, index.Status);
        await db.PutAsync("users/1", "Users", "");
        Assert.False(await index.WaitForAsync(db.Database.LastDurableEtag, TimeSpan.FromMilliseconds(50), default));
        Assert.True(index.IsStale());
        Assert.True(db.Indexes.Resume(index.Name));
        await db.CatchUpAsync(index);
        Assert.False(index.IsStale());

        db.Indexes.Pause();
        var later = await db.EnsureAsync("Orders", "name");
        await db.PutAsync("orders/1", "Orders", "");
        Assert.Equal(IndexRunStatus.Paused, later.Status);
        Assert.True(later.IsStale());
        // One of them goes on alone.
        db.Indexes.Resume(index.Name);
        Assert.Equal((IndexRunStatus.Running, IndexRunStatus.Paused), (index.Status, later.Status));
        db.Indexes.Resume();
        await db.CatchUpAsync(later);
    }

    [Fact]
    public async Task A_disabled_index_refuses_queries_and_waits_and_goes_on_when_it_is_enabled()
    {
        await using var db = await IndexedDatabase.OpenAsync();
        var index = await db.EnsureAsync("Users", "name");
        await db.CatchUpAsync(index);
        Assert.True(await db.Indexes.SetDisabledAsync("auto/users/BYNAME", true));
        Assert.Equal(IndexState.Disabled, index.State);
        Assert.Contains("is disabled", Assert.Throws<IndexUnavailableException>(() => index.OpenRead("test")).Message);
        long etag = await db.PutAsync("users/1", "Users", "");
        await Assert.ThrowsAsync<IndexUnavailableException>(() => index.WaitForAsync(etag, TimeSpan.FromMinutes(1), default));
        Assert.True(await db.Indexes.SetDisabledAsync(index.Name, false));
        await db.CatchUpAsync(index);
        Assert.Equal(["users/1"], IndexedDatabase.Contents(index).Keys);
        Assert.False(await db.Indexes.SetDisabledAsync("none", false));
    }

    [Fact]
    public async Task A_disabled_index_tells_what_it_holds_and_what_it_has_not_seen()
    {
        await using var db = await IndexedDatabase.OpenAsync();
        var index = await db.EnsureAsync("Users", "name");
        await db.PutAsync("users/1", "Users", "");
        long seen = await db.PutAsync("users/2", "Users", "");
        await db.CatchUpAsync(index);
        await db.Indexes.SetDisabledAsync(index.Name, true);

        var statistics = index.Statistics();
        Assert.Equal((2L, seen, false), (statistics.Entries, statistics.Position, statistics.IsStale));
        await db.PutAsync("users/3", "Users", "");
        statistics = index.Statistics();
        Assert.Equal((2L, seen, true), (statistics.Entries, statistics.Position, statistics.IsStale));
        Assert.Equal(1, Assert.Single(statistics.Collections).DocumentLag.Count);

        // It is empty then, and says so without being enabled.
        await db.Indexes.ResetAsync(index.Name);
        statistics = index.Statistics();
        Assert.Equal((0L, 0L, true), (statistics.Entries, statistics.Position, statistics.IsStale));
    }

    [Fact]
    public async Task A_query_asks_an_index_that_runs_rather_than_one_that_is_paused()
    {
        await using var db = await IndexedDatabase.OpenAsync();
        var byName = await db.EnsureAsync("Users", "name");
        // One that is disabled is not extended: so there are two with the field.
        await db.Indexes.SetDisabledAsync(byName.Name, true);
        var byBoth = await db.EnsureAsync("Users", "name", "age");
        await db.Indexes.SetDisabledAsync(byName.Name, false);
        Assert.Same(byBoth, db.Indexes.FindAutomatic(IndexedDatabase.Over("Users", "name")));

        db.Indexes.Pause(byBoth.Name);

        Assert.Same(byName, db.Indexes.FindAutomatic(IndexedDatabase.Over("Users", "name")));
    }

    [Fact]
    public async Task A_reset_index_is_built_again_in_another_folder()
    {
        await using var db = await IndexedDatabase.OpenAsync();
        await db.PutAsync("users/1", "Users", "");
        var index = await db.EnsureAsync("Users", "name");
        await db.CatchUpAsync(index);
        var former = index.InstanceId;
        Assert.True(await db.Indexes.ResetAsync(index.Name));
        Assert.NotEqual(former, index.InstanceId);
        await db.CatchUpAsync(index);
        Assert.Equal(["users/1"], IndexedDatabase.Contents(index).Keys);
        await Eventually.IsAsync(() => db.Database.EnvironmentFolders("Indexes").SequenceEqual([index.InstanceId.ToString("N")]));
    }

    [Fact]
    public async Task A_deleted_index_leaves_no_folder_and_ends_those_who_wait_for_it()
    {
        await using var db = await IndexedDatabase.OpenAsync();
        var index = await db.EnsureAsync("Users", "name");
        await db.CatchUpAsync(index);
        db.Indexes.Pause(index.Name);
        long etag = await db.PutAsync("users/1", "Users", "");
        var waiting = index.WaitForAsync(etag, Eventually.Patience, default);
        Assert.True(await db.Indexes.DeleteAsync(index.Name));
        await Assert.ThrowsAsync<IndexUnavailableException>(() => waiting);
        Assert.Null(db.Indexes.Find(index.Name));
        Assert.False(await db.Indexes.DeleteAsync(index.Name));
        await Eventually.IsAsync(() => db.Database.EnvironmentFolders("Indexes").Count == 0);
    }

    [Fact]
    public async Task Priority_and_lock_mode_are_kept_of_all_that_are_named_or_of_none()
    {
        await using var db = await IndexedDatabase.OpenAsync();
        var users = await db.EnsureAsync("Users", "name");
        var orders = await db.EnsureAsync("Orders", "name");
        Assert.Equal("none", await db.Indexes.SetPriorityAsync([users.Name, "none"], IndexPriority.High));
        Assert.Equal(IndexPriority.Normal, users.Priority);
        Assert.Null(await db.Indexes.SetPriorityAsync([users.Name, orders.Name], IndexPriority.High));
        Assert.Null(await db.Indexes.SetLockModeAsync([orders.Name], IndexLockMode.LockedError));
        Assert.Equal(IndexPriority.High, orders.Priority);
        Assert.Equal(IndexLockMode.LockedError, orders.LockMode);
    }

    [Fact]
    public async Task A_waiter_is_woken_by_the_commit_and_not_before()
    {
        await using var db = await IndexedDatabase.OpenAsync();
        var index = await db.EnsureAsync("Users", "name");
        await db.CatchUpAsync(index);
        db.Indexes.Pause(index.Name);
        long etag = await db.PutAsync("users/1", "Users", "");
        var waiting = index.WaitForAsync(etag, Eventually.Patience, default);
        await Task.Delay(20);
        Assert.False(waiting.IsCompleted);
        db.Indexes.Resume(index.Name);
        Assert.True(await waiting);
        Assert.Equal(["users/1"], IndexedDatabase.Contents(index).Keys);
    }

    [Fact]
    public async Task Each_caller_who_waits_for_an_index_that_is_disabled_gets_an_exception_of_its_own()
    {
        await using var db = await IndexedDatabase.OpenAsync();
        var index = await db.EnsureAsync("Users", "name");
        await db.CatchUpAsync(index);
        db.Indexes.Pause(index.Name);
        long etag = await db.PutAsync("users/1", "Users", "");
        var waiting = Enumerable.Range(0, 3).Select(_ => index.WaitForAsync(etag, Eventually.Patience, default)).ToArray();
        await db.Indexes.SetDisabledAsync(index.Name, true);
        var errors = new List<Exception>();
        foreach (var wait in waiting)
            errors.Add(await Assert.ThrowsAsync<IndexUnavailableException>(() => wait));
        Assert.Equal(3, errors.Distinct(ReferenceEqualityComparer.Instance).Count());
    }

    [Fact]
    public async Task Statistics_tell_how_far_an_index_is()
    {
        await using var db = await IndexedDatabase.OpenAsync();
        await db.PutAsync("users/1", "Users", "");
        long etag = await db.PutAsync("users/2", "Users", "");
        var index = await db.EnsureAsync("Users", "name");
        await db.CatchUpAsync(index);
        db.Indexes.Pause(index.Name);
        await db.PutAsync("users/3", "Users", "");
        await db.DeleteAsync("users/1");
        var statistics = index.Statistics();
        Assert.Equal(2, statistics.Entries);
        Assert.Equal(2, statistics.MapAttempts);
        Assert.Equal(0, statistics.MapErrors);
        Assert.True(statistics.Batches > 0);
        Assert.True(statistics.LastIndexedAtTicks > 0);
        Assert.True(statistics.IsStale);
        var lag = Assert.Single(statistics.Collections);
        Assert.Equal(("Users", etag, 0L), (lag.Collection, lag.LastProcessedDocumentEtag, lag.LastProcessedTombstoneEtag));
        Assert.Equal((1, 1), (lag.DocumentLag.Count, lag.TombstoneLag.Count));
    }

    [Fact]
    public async Task The_etag_of_a_result_changes_with_all_that_could_change_it()
    {
        await using var db = await IndexedDatabase.OpenAsync();
        var index = await db.EnsureAsync("Users", "name");
        await db.PutAsync("users/1", "Users", "");
        await db.CatchUpAsync(index);
        long fresh = Etag();
        Assert.Equal(fresh, Etag());
        db.Indexes.Pause(index.Name);
        await db.PutAsync("orders/1", "Orders", "");
        Assert.Equal(fresh, Etag());
        await db.PutAsync("users/2", "Users", "");
        long stale = Etag();
        db.Indexes.Resume(index.Name);
        await db.CatchUpAsync(index);
        long fresher = Etag();
        await db.Indexes.ResetAsync(index.Name);
        await db.CatchUpAsync(index);
        Assert.Equal(4, new HashSet<long> { fresh, stale, fresher, Etag() }.Count);

        long Etag()
        {
            using var reading = index.OpenRead("test");
            using var documents = db.Database.OpenRead("test");
            return reading.ResultEtag(documents);
        }
    }
}
