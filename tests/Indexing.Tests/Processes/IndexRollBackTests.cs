using Jackdaw.Indexing.Processes;
using Xunit;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>What an index does when its disk refuses a journal write, and its environment goes back to what is durable.</summary>
public class IndexRollBackTests
{
    [Fact]
    public async Task An_index_that_was_rolled_back_reads_what_it_lost_again_although_nothing_new_is_written()
    {
        using var folder = new CrashableFolder();
        await using var db = await OpenAsync(folder);
        var index = await db.EnsureAsync("Users", "name");
        await db.PutAsync("users/1", "Users", "");
        await db.CatchUpAsync(index);
        Assert.True(await index.MakeDurableAsync());
        var disk = folder.DiskOf(index.InstanceId);
        disk.JournalFails = true;
        await db.PutAsync("users/2", "Users", "");
        await db.CatchUpAsync(index);

        await Eventually.IsAsync(() => index.Errors().Count > 0);
        disk.JournalFails = false;

        await Eventually.IsAsync(() => index.Statistics().DurablePosition == db.Database.LastDurableEtag);
        Assert.Equal(["users/1", "users/2"], IndexedDatabase.Contents(index).Keys);
        await Eventually.IsAsync(() => index.StopReason is null);
        // Said once each, however often it was tried.
        Assert.Equal(2, db.Indexes.Findings.Count);
    }

    [Fact]
    public async Task Who_waits_for_an_index_that_was_rolled_back_waits_until_it_has_read_again()
    {
        using var folder = new CrashableFolder();
        await using var db = await OpenAsync(folder);
        var index = await db.EnsureAsync("Users", "name");
        await db.PutAsync("users/1", "Users", "");
        await db.CatchUpAsync(index);
        Assert.True(await index.MakeDurableAsync());
        long durable = db.Database.LastDurableEtag;
        var disk = folder.DiskOf(index.InstanceId);
        disk.JournalFails = true;
        await db.PutAsync("users/2", "Users", "");
        await db.CatchUpAsync(index);
        db.Indexes.Pause();

        await Eventually.IsAsync(() => Position(index) == durable);

        await Eventually.IsAsync(async () =>
            !await index.WaitForAsync(db.Database.LastDurableEtag, TimeSpan.FromMilliseconds(1), CancellationToken.None)
        );
        disk.JournalFails = false;
        db.Indexes.Resume();
        await db.CatchUpAsync(index);
        Assert.Equal(["users/1", "users/2"], IndexedDatabase.Contents(index).Keys);
    }

    private static long Position(Jackdaw.Indexing.Processes.Index index)
    {
        using var reading = index.OpenRead("test");
        return reading.Position;
    }

    private static Task<IndexedDatabase> OpenAsync(CrashableFolder folder) =>
        IndexedDatabase.OpenAsync(
            folder: folder.Path,
            change: o => o with { Folder = folder.Open(), Storage = o.Storage with { LazyJournalInterval = TimeSpan.FromMilliseconds(50) } }
        );
}
