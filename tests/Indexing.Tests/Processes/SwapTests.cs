using Jackdaw.Documents;
using Jackdaw.Documents.Errors;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Processes;
using Jackdaw.Storage.Errors;
using Xunit;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>An index that is built beside others takes their place when it has caught up, and not before.</summary>
public class SwapTests
{
    [Fact]
    public async Task An_index_with_more_fields_retires_those_that_it_covers()
    {
        await using var db = await IndexedDatabase.OpenAsync();
        await db.PutAsync("users/1", "Users", "\"name\":\"Ada\",\"age\":36");
        var byName = await db.EnsureAsync("Users", "name");
        await db.CatchUpAsync(byName);
        db.Indexes.Pause();
        var byBoth = await db.EnsureAsync("Users", "age");
        Assert.Equal("Auto/Users/ByageAndname", byBoth.Name);
        Assert.True(byBoth.IsReplacement);
        // What the old one can answer, it answers until then.
        Assert.Same(byName, db.Indexes.FindAutomatic(IndexedDatabase.Over("users", "name")));
        Assert.Same(byBoth, db.Indexes.FindAutomatic(IndexedDatabase.Over("users", "age")));

        var swapped = new TaskCompletionSource();
        using var watch = db.Indexes.Watch(change =>
        {
            if (change.Kind == IndexChangeKind.Swapped)
                swapped.TrySetResult();
        });
        db.Indexes.Resume();
        await swapped.Task.WaitAsync(Eventually.Patience);
        Assert.Equal([byBoth], db.Indexes.All);
        Assert.False(byBoth.IsReplacement);
        Assert.Throws<IndexUnavailableException>(() => byName.OpenRead("test"));
        await Eventually.IsAsync(() => db.Database.EnvironmentFolders("Indexes").Count == 1);
        Assert.Equal("id()=\"users/1\"\nname=\"Ada\"\nage=36\n", IndexedDatabase.Contents(byBoth)["users/1"]);
    }

    [Fact]
    public async Task Who_waits_for_an_index_that_is_replaced_waits_for_its_successor()
    {
        await using var db = await IndexedDatabase.OpenAsync();
        var byName = await db.EnsureAsync("Users", "name");
        await db.CatchUpAsync(byName);
        db.Indexes.Pause(byName.Name);
        long etag = await db.PutAsync("users/1", "Users", "");
        var waiting = byName.WaitForAsync(etag, Eventually.Patience, default);
        await db.EnsureAsync("Users", "age");
        Assert.True(await waiting);
    }

    [Fact]
    public async Task A_reader_of_the_old_index_keeps_its_folder_until_it_ends()
    {
        await using var db = await IndexedDatabase.OpenAsync();
        await db.PutAsync("users/1", "Users", "");
        var byName = await db.EnsureAsync("Users", "name");
        await db.CatchUpAsync(byName);
        using (var reading = byName.OpenRead("test"))
        {
            await db.EnsureAsync("Users", "age");
            await Eventually.IsAsync(() => db.Indexes.All.Count == 1);
            Assert.Equal(["users/1"], RecordedContent.Sources(reading.Content).Keys);
            Assert.Equal(2, db.Database.EnvironmentFolders("Indexes").Count);
        }
        await Eventually.IsAsync(() => db.Database.EnvironmentFolders("Indexes").Count == 1);
    }

    [Fact]
    public async Task Searched_and_exact_fields_are_merged_with_plain_ones()
    {
        await using var db = await IndexedDatabase.OpenAsync();
        await db.EnsureAsync("Users", "name");
        var searched = await db.Indexes.EnsureAutomaticAsync(
            new AutoIndexDefinition("Users", [new AutoIndexField("name", HasSearch: true)]),
            default
        );
        Assert.Equal("Auto/Users/Bysearch(name)", searched.Name);
        var both = await db.Indexes.EnsureAutomaticAsync(
            new AutoIndexDefinition("users", [new AutoIndexField("name", HasExact: true)]),
            default
        );
        Assert.Equal("Auto/Users/Bysearch(name)Andexact(name)", both.Name);
        await Eventually.IsAsync(() => db.Indexes.All.Count == 1);
        Assert.Same(both, db.Indexes.FindAutomatic(IndexedDatabase.Over("USERS", "name")));
    }

    [Fact]
    public async Task The_number_of_automatic_indexes_is_bounded_by_a_limit_that_the_error_names()
    {
        await using var db = await IndexedDatabase.OpenAsync(IndexedDatabase.Options() with { MaxAutoIndexes = 2 });
        await db.PutAsync("a/1", "A", "");
        await db.PutAsync("b/1", "B", "");
        await db.EnsureAsync("A", "x");
        await db.EnsureAsync("B", "x");
        var refused = await Assert.ThrowsAsync<TooManyIndexesException>(() => db.EnsureAsync("C", "x"));
        Assert.Contains("Limits.MaxAutoIndexes", refused.Message);
        // One that is extended is none more.
        var extended = await db.EnsureAsync("A", "y");
        Assert.Equal("Auto/A/ByxAndy", extended.Name);
    }

    [Fact]
    public async Task An_index_that_was_disabled_since_it_caught_up_takes_nobodys_place()
    {
        await using var db = await IndexedDatabase.OpenAsync();
        await db.PutAsync("users/1", "Users", "");
        var old = await db.EnsureAsync("Users", "name");
        await db.CatchUpAsync(old);
        db.Indexes.Pause();
        var built = await db.EnsureAsync("Users", "age");
        await db.Indexes.SetDisabledAsync(built.Name, isDisabled: true);

        db.Indexes.BeginSwap(built);

        // Begun before it, and so done before it.
        await db.Indexes.SetPriorityAsync([old.Name], Definitions.IndexPriority.High);
        await Eventually.IsAsync(() => built.TryBeginTask());
        Assert.Equal([built, old], db.Indexes.All);
        Assert.Equal(["users/1"], IndexedDatabase.Contents(old).Keys);
    }

    [Fact]
    public async Task A_malformed_path_is_refused()
    {
        await using var db = await IndexedDatabase.OpenAsync();
        await Assert.ThrowsAsync<FormatException>(() => db.EnsureAsync("A", "x..y"));
    }

    [Theory]
    [InlineData(IndexStep.Recorded, "Auto/Users/ByageAndname|Auto/Users/Byname")]
    [InlineData(IndexStep.CaughtUp, "Auto/Users/ByageAndname|Auto/Users/Byname")]
    [InlineData(IndexStep.Durable, "Auto/Users/ByageAndname|Auto/Users/Byname")]
    [InlineData(IndexStep.Swapped, "Auto/Users/ByageAndname")]
    [InlineData(IndexStep.Deleted, "Auto/Users/ByageAndname")]
    public async Task A_crash_at_each_step_leaves_one_live_index(string step, string expected) =>
        Assert.Equal((expected, null), await CrashAsync(step, PlantedIndexFault.None));

    [Fact]
    public async Task A_planted_deletion_before_the_swap_is_found() =>
        Assert.NotNull((await CrashAsync(IndexStep.Deleted, PlantedIndexFault.DeleteBeforeSwap)).Wrong);

    /// <summary>Crashes at a step of a swap. Returns the indexes that are there afterwards, and what is wrong; null: nothing.</summary>
    private static async Task<(string Indexes, string? Wrong)> CrashAsync(string step, PlantedIndexFault fault)
    {
        using var folder = new CrashableFolder();
        var isArmed = false;
        var reached = new TaskCompletionSource();
        var options = IndexedDatabase.Options() with
        {
            Planted = fault,
            StepReached = name =>
            {
                if (!Volatile.Read(ref isArmed) || name != step)
                    return;
                folder.Cut();
                reached.TrySetResult();
                // Nobody goes on.
                throw new OperationCanceledException("The power is off.");
            },
        };
        var db = await IndexedDatabase.OpenAsync(options, folder.Path, o => o with { Folder = folder.Open() });
        await db.PutAsync("users/1", "Users", "\"name\":1,\"age\":2");
        var byName = await db.EnsureAsync("Users", "name");
        await db.CatchUpAsync(byName);
        await byName.MakeDurableAsync();
        Volatile.Write(ref isArmed, true);
        try
        {
            await db.EnsureAsync("Users", "age");
        }
        catch (OperationCanceledException) when (step == IndexStep.Recorded)
        {
            Assert.True(reached.Task.IsCompleted);
        }
        await reached.Task.WaitAsync(Eventually.Patience);
        await EndAsync(db);

        string? wrong = null;
        // However slow this thread is, no swap takes place before it has looked.
        using var hasLooked = new ManualResetEventSlim();
        db = await IndexedDatabase.OpenAsync(
            IndexedDatabase.Options() with
            {
                Found = finding => wrong ??= finding,
                StepReached = name =>
                {
                    if (name == IndexStep.CaughtUp)
                        hasLooked.Wait(Eventually.Patience);
                },
            },
            folder.Path,
            o => o with { Folder = folder.Open() }
        );
        await using (db)
        {
            db.Indexes.Pause();
            string names = string.Join('|', db.Indexes.All.Select(index => index.Name));
            var live = Assert.Single(db.Indexes.All, index => !index.IsReplacement);
            // Without reading anything again it has what it had.
            if (live.Statistics() is { Entries: not 1 } statistics)
                wrong ??= $"'{live.Name}' is live and has {statistics.Entries} entries instead of 1.";
            db.Indexes.Resume();
            hasLooked.Set();
            await Eventually.IsAsync(() => db.Indexes.All.Count == 1);
            await Eventually.IsAsync(() => db.Database.EnvironmentFolders("Indexes").Count == 1);
            await db.CatchUpAsync(db.Indexes.All[0]);
            Assert.Equal(["users/1"], IndexedDatabase.Contents(db.Indexes.All[0]).Keys);
            return (names, wrong);
        }
    }

    private static async Task EndAsync(IndexedDatabase db)
    {
        try
        {
            await db.DisposeAsync();
        }
        catch (Exception cut) when (cut is StorageException or DatabaseUnavailableException or OperationCanceledException)
        {
            // The power is off; the process ends.
            return;
        }
    }
}
