using Jackdaw.Documents;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Processes;
using Xunit;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>What goes wrong in an index is told, and keeps nobody else from going on.</summary>
public class IndexErrorTests
{
    private static readonly string s_bad = $"\"name\":\"{FailingContent.Unmappable}\"";

    [Fact]
    public async Task A_document_that_fails_is_recorded_and_the_index_goes_on()
    {
        await using var db = await OpenAsync();
        await db.PutAsync("users/1", "Users", "\"name\":\"good\"");
        var index = await db.EnsureAsync("Users", "name");
        await db.CatchUpAsync(index);
        await db.PutAsync("users/1", "Users", s_bad);
        await db.PutAsync("users/2", "Users", "\"name\":\"good\"");
        await db.CatchUpAsync(index);
        // What the failed one had said before is not what it says now.
        Assert.Equal(["users/2"], IndexedDatabase.Contents(index).Keys);
        var error = Assert.Single(index.Errors());
        Assert.Equal(("users/1", "Map", "It cannot be mapped."), (error.Document, error.Action, error.Message));
        Assert.Equal(1, index.Statistics().MapErrors);
        Assert.Equal(IndexState.Normal, index.State);
        index.ClearErrors();
        Assert.Empty(index.Errors());
    }

    [Fact]
    public async Task A_document_that_is_too_large_for_a_transaction_of_the_index_is_left_out_and_the_index_goes_on()
    {
        await using var db = await OpenAsync();
        await db.PutAsync("users/large", "Users", "\"name\":\"good\"");
        var index = await db.EnsureAsync("Users", "name");
        await db.CatchUpAsync(index);
        db.Indexes.Pause();
        for (int i = 0; i < 40; i++)
            await db.PutAsync($"users/{i:00}", "Users", "\"name\":\"good\"");
        await db.PutAsync("users/large", "Users", $"\"name\":\"{FailingContent.TooLarge}\"");
        for (int i = 40; i < 80; i++)
            await db.PutAsync($"users/{i:00}", "Users", "\"name\":\"good\"");
        db.Indexes.Resume();
        await db.CatchUpAsync(index);

        Assert.Equal(Enumerable.Range(0, 80).Select(i => $"users/{i:00}"), IndexedDatabase.Contents(index).Keys);
        var error = Assert.Single(index.Errors());
        Assert.Equal(("users/large", "Map"), (error.Document, error.Action));
        Assert.Contains(
            "does not fit into a transaction of the index: A transaction is 2, over the limit of 1",
            error.Message,
            StringComparison.Ordinal
        );
        Assert.Equal((IndexState.Normal, 1L), (index.State, index.Statistics().MapErrors));

        // Made smaller, it is found again.
        await db.PutAsync("users/large", "Users", "\"name\":\"good\"");
        await db.CatchUpAsync(index);
        Assert.Equal(81, IndexedDatabase.Contents(index).Count);
    }

    [Fact]
    public async Task A_document_with_a_hundred_thousand_values_is_left_out_where_a_transaction_has_no_room_for_them()
    {
        await using var db = await IndexedDatabase.OpenAsync(
            new IndexingOptions { Threads = 3 },
            change: options => options with { Storage = options.Storage with { MaxTransactionBytes = 2 << 20 } }
        );
        db.Indexes.Pause();
        var index = await db.EnsureAsync("Users", "name");
        await db.PutAsync("users/1", "Users", "\"name\":\"good\"");
        string values = string.Join(',', Enumerable.Range(0, 100_000).Select(i => $"\"v{i * 7919 % 1_000_003}\""));
        await db.PutAsync("users/large", "Users", $"\"name\":[{values}]");
        await db.PutAsync("users/2", "Users", "\"name\":\"good\"");
        db.Indexes.Resume();
        await db.CatchUpAsync(index);

        var error = Assert.Single(index.Errors());
        Assert.Equal(("users/large", "Map"), (error.Document, error.Action));
        Assert.Contains("Storage.MaxTransactionSizeInMb", error.Message, StringComparison.Ordinal);
        Assert.Equal((IndexState.Normal, 2L), (index.State, index.Statistics().Entries));
    }

    [Fact]
    public async Task More_than_fifteen_percent_of_a_sizeable_sample_put_the_index_in_error()
    {
        await using var db = await OpenAsync();
        var index = await db.EnsureAsync("Users", "name");
        for (int i = 0; i < 99; i++)
            await db.PutAsync($"users/{i}", "Users", i < 20 ? s_bad : "");
        await db.CatchUpAsync(index);
        Assert.Equal(IndexState.Normal, index.State);
        await db.PutAsync("users/99", "Users", "");
        await Eventually.IsAsync(() => index.State == IndexState.Error);
        Assert.Contains("20 of 100 documents failed; the limit is 15%", index.StateReason);
        Assert.Contains(db.Indexes.Findings, finding => finding.Message.Contains("20 of 100", StringComparison.Ordinal));
        Assert.Contains("in error", Assert.Throws<IndexUnavailableException>(() => index.OpenRead("test")).Message);

        // An operator lets it go on.
        await db.Indexes.SetDisabledAsync(index.Name, false);
        await db.PutAsync("users/100", "Users", "");
        await db.CatchUpAsync(index);
        Assert.Equal(81, IndexedDatabase.Contents(index).Count);
    }

    [Fact]
    public async Task Exactly_fifteen_percent_do_not()
    {
        await using var db = await OpenAsync();
        db.Indexes.Pause();
        var index = await db.EnsureAsync("Users", "name");
        for (int i = 0; i < 100; i++)
            await db.PutAsync($"users/{i}", "Users", i < 15 ? s_bad : "");
        db.Indexes.Resume();
        await db.CatchUpAsync(index);
        Assert.Equal(IndexState.Normal, index.State);
    }

    [Fact]
    public async Task The_newest_errors_are_kept_and_no_more()
    {
        await using var db = await OpenAsync();
        var index = await db.EnsureAsync("Users", "name");
        for (int i = 0; i < IndexingLimits.MaxErrorRecords + 10; i++)
        {
            await db.PutAsync($"users/{i}", "Users", s_bad);
            if (i % 50 != 0)
                continue;
            // Fewer than a sample: however many the index takes at once, it does not enter the state Error.
            await db.CatchUpAsync(index);
            index.ClearFailures();
        }
        await db.CatchUpAsync(index);
        Assert.Equal(IndexingLimits.MaxErrorRecords, index.Errors().Count);
        Assert.Equal($"users/{IndexingLimits.MaxErrorRecords + 9}", index.Errors()[^1].Document);
    }

    [Fact]
    public async Task An_index_on_a_full_disk_stops_says_so_and_goes_on_when_there_is_room()
    {
        using var folder = new CrashableFolder();
        await using var db = await IndexedDatabase.OpenAsync(
            folder: folder.Path,
            change: o => o with { Folder = folder.Open(), Storage = o.Storage with { LazyJournalInterval = TimeSpan.FromMilliseconds(10) } }
        );
        var index = await db.EnsureAsync("Users", "name");
        await db.PutAsync("users/first", "Users", "");
        await db.CatchUpAsync(index);
        var disk = folder.DiskOf(index.InstanceId);
        disk.IsFull = true;
        string large = new('x', 20_000);
        int written = 0;
        await Eventually.IsAsync(async () =>
        {
            // Documents are not held up.
            for (int i = 0; i < 20; i++)
                await db.PutAsync($"users/{written++}", "Users", $"\"name\":\"{large}\"");
            return index.Status == IndexRunStatus.Pending;
        });
        Assert.Contains("no space left", index.StopReason);
        Assert.Contains(index.Errors(), error => error.Message.Contains("no space left", StringComparison.Ordinal));
        Assert.Contains(db.Indexes.Findings, finding => finding.Message.Contains("no space left", StringComparison.Ordinal));
        disk.IsFull = false;
        await db.CatchUpAsync(index);
        Assert.Equal(1 + written, IndexedDatabase.Contents(index).Count);
        await Eventually.IsAsync(() => index.Status == IndexRunStatus.Running);
    }

    [Fact]
    public async Task After_a_roll_back_an_index_reads_once_more_what_it_had_seen()
    {
        using var folder = new CrashableFolder();
        await using var db = await IndexedDatabase.OpenAsync(
            folder: folder.Path,
            change: o => o with { Folder = folder.Open(), Storage = o.Storage with { LazyJournalInterval = TimeSpan.FromMilliseconds(50) } }
        );
        var index = await db.EnsureAsync("Users", "name");
        await db.PutAsync("users/1", "Users", "");
        await db.CatchUpAsync(index);
        await Eventually.IsAsync(() => index.Statistics().DurablePosition == db.Database.LastDurableEtag);
        folder.DiskOf(index.InstanceId).JournalFails = true;
        await db.PutAsync("users/2", "Users", "");
        await db.DeleteAsync("users/1");
        // It was there, and is gone, without an answer that is wrongly fresh.
        await Eventually.IsAsync(() => StalenessIsTold(db, index) && IndexedDatabase.Contents(index).ContainsKey("users/1"));
        await Eventually.IsAsync(() => index.Status == IndexRunStatus.Pending);
        folder.DiskOf(index.InstanceId).JournalFails = false;
        // Nothing is written meanwhile that could wake it.
        await Eventually.IsAsync(() => !index.IsStale() && index.Status == IndexRunStatus.Running);
        Assert.Equal(["users/2"], IndexedDatabase.Contents(index).Keys);
    }

    private static bool StalenessIsTold(IndexedDatabase db, Indexing.Processes.Index index)
    {
        using var reading = index.OpenRead("test");
        using var documents = db.Database.OpenRead("test");
        bool holdsDeleted = RecordedContent.Sources(reading.Content).ContainsKey("users/1");
        bool isStale = reading.IsStale(documents);
        Assert.True(!holdsDeleted || isStale);
        return holdsDeleted && isStale;
    }

    [Fact]
    public async Task An_error_that_nobody_expects_ends_in_the_state_error_after_some_attempts()
    {
        bool fails = true;
        await using var db = await IndexedDatabase.OpenAsync(
            IndexedDatabase.Options() with
            {
                OpenContent = FailingContent.Open(() =>
                {
                    if (Volatile.Read(ref fails))
                        throw new InvalidOperationException("Something odd.");
                }),
            }
        );
        var index = await db.EnsureAsync("Users", "name");
        await db.PutAsync("users/1", "Users", "");
        await Eventually.IsAsync(() => index.State == IndexState.Error);
        Assert.Contains("Something odd.", index.StateReason);
        Volatile.Write(ref fails, false);
        Assert.True(await db.Indexes.ResetAsync(index.Name));
        await db.CatchUpAsync(index);
        Assert.Equal(["users/1"], IndexedDatabase.Contents(index).Keys);
    }

    private static Task<IndexedDatabase> OpenAsync() =>
        IndexedDatabase.OpenAsync(IndexedDatabase.Options() with { OpenContent = FailingContent.Open() });
}
