using System.Diagnostics;
using Jackdaw.Documents;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Processes;
using Xunit;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>Indexes that have nothing to do, and automatic ones that nobody queries.</summary>
[Collection(AloneCollection.Name)]
public class IdleIndexTests
{
    [Fact]
    [Trait("Category", "Slow")]
    public async Task A_hundred_indexes_without_work_cost_no_thread_no_turn_and_no_wake_up()
    {
        using var folder = new CrashableFolder();
        using var processes = new IndexProcesses(
            IndexedDatabase.Options() with
            {
                MaxAutoIndexes = 100,
                OpenContent = Contents.SearchContent.Open,
            }
        );
        await using (
            var db = await IndexedDatabase.OpenAsync(
                folder: folder.Path,
                change: o => o with { Folder = folder.Open() },
                processes: processes
            )
        )
        {
            for (int i = 0; i < 100; i++)
                await db.EnsureAsync($"C{i}", "name");
            await db.PutAsync("docs/1", "Other", "");
            foreach (var index in db.Indexes.All)
                await db.CatchUpAsync(index);
        }
        long managed = GC.GetTotalMemory(forceFullCollection: true);
        long anonymous = Anonymous();
        long began = Stopwatch.GetTimestamp();
        await using var reopened = await IndexedDatabase.OpenAsync(
            folder: folder.Path,
            change: o => o with { Folder = folder.Open() },
            processes: processes
        );
        foreach (var index in reopened.Indexes.All)
            using (index.OpenRead("test")) { }
        var opening = Stopwatch.GetElapsedTime(began);
        Assert.Equal(100, reopened.Indexes.All.Count);
        await Eventually.IsAsync(() => processes.Threads == 0);
        long turns = processes.TurnsBegun;
        // Writes of a collection that no index reads wake none.
        for (int i = 0; i < 50; i++)
            await reopened.PutAsync("docs/1", "Other", "");
        await Task.Delay(200);
        Assert.Equal(turns, processes.TurnsBegun);
        Assert.Equal(0, processes.Threads);
        // Times are set for the removal of old deletions of the database, and for nothing of its indexes.
        await Eventually.IsAsync(() => reopened.Databases.WaitingTimes <= 1);
        long each = (GC.GetTotalMemory(forceFullCollection: true) - managed) / 100;
        Assert.True(each < 2 << 20, $"An idle index takes {each} bytes of the managed heap.");
        long eachNative = (Anonymous() - anonymous) / 100;
        Assert.True(eachNative < 2 << 20, $"An idle index takes {eachNative} bytes of memory that no file backs.");
        Console.WriteLine($"100 indexes opened in {opening.TotalMilliseconds:0} ms, {each} managed bytes each, {eachNative} in all");
    }

    /// <summary>Bytes of the process that no file backs.</summary>
    private static long Anonymous() =>
        1024
        * long.Parse(
            File.ReadLines("/proc/self/status").First(line => line.StartsWith("RssAnon:", StringComparison.Ordinal))[8..^3].Trim(),
            System.Globalization.CultureInfo.InvariantCulture
        );

    [Fact]
    public async Task An_automatic_index_that_nobody_queries_falls_idle_and_a_query_wakes_it()
    {
        var clock = new ManualClock();
        await using var db = await IndexedDatabase.OpenAsync(IndexedDatabase.Options() with { Clock = clock });
        var index = await db.EnsureAsync("Users", "name");
        await db.PutAsync("users/1", "Users", "");
        await db.CatchUpAsync(index);
        clock.Advance(TimeSpan.FromMinutes(29));
        db.Indexes.LookForIdle();
        Assert.Equal(IndexState.Normal, index.State);
        clock.Advance(TimeSpan.FromMinutes(2));
        db.Indexes.LookForIdle();
        Assert.Equal(IndexState.Idle, index.State);
        await db.PutAsync("users/2", "Users", "");
        Assert.False(await index.IsSeenAsync(db));

        Assert.Same(index, db.Indexes.FindAutomatic(IndexedDatabase.Over("Users", "name")));
        Assert.Equal(IndexState.Normal, index.State);
        await db.CatchUpAsync(index);
        Assert.Equal(2, IndexedDatabase.Contents(index).Count);
    }

    [Fact]
    public async Task An_index_that_stays_idle_is_deleted()
    {
        var clock = new ManualClock();
        await using var db = await IndexedDatabase.OpenAsync(IndexedDatabase.Options() with { Clock = clock });
        await db.EnsureAsync("Users", "name");
        clock.Advance(TimeSpan.FromHours(1));
        db.Indexes.LookForIdle();
        clock.Advance(TimeSpan.FromHours(70));
        db.Indexes.LookForIdle();
        Assert.Single(db.Indexes.All);
        clock.Advance(TimeSpan.FromHours(2));
        db.Indexes.LookForIdle();
        await Eventually.IsAsync(() => db.Indexes.All.Count == 0 && db.Database.EnvironmentFolders("Indexes").Count == 0);
        Assert.Contains(db.Indexes.Findings, finding => finding.Message.Contains("Nobody has queried it", StringComparison.Ordinal));
    }

    [Fact]
    public async Task An_idle_index_is_not_merged_into_another()
    {
        var clock = new ManualClock();
        await using var db = await IndexedDatabase.OpenAsync(IndexedDatabase.Options() with { Clock = clock });
        await db.EnsureAsync("Users", "name");
        clock.Advance(TimeSpan.FromHours(1));
        db.Indexes.LookForIdle();
        Assert.Equal("Auto/Users/Byage", (await db.EnsureAsync("Users", "age")).Name);
    }

    [Fact]
    public async Task Two_indexes_of_paths_that_differ_in_casing_have_different_names()
    {
        var clock = new ManualClock();
        await using var db = await IndexedDatabase.OpenAsync(IndexedDatabase.Options() with { Clock = clock });
        var lower = await db.EnsureAsync("Users", "name");
        clock.Advance(TimeSpan.FromHours(1));
        db.Indexes.LookForIdle();
        var upper = await db.EnsureAsync("Users", "Name");
        Assert.Equal("Auto/Users/ByName-2", upper.Name);
        Assert.Same(lower, db.Indexes.Find("AUTO/USERS/BYNAME"));
    }
}

file static class IdleIndexExtensions
{
    /// <summary>Whether an index that is not to move has moved after a while.</summary>
    public static async Task<bool> IsSeenAsync(this Indexing.Processes.Index index, IndexedDatabase db)
    {
        await Task.Delay(50);
        return index.SeenUpToNow >= db.Database.LastDurableEtag;
    }
}
