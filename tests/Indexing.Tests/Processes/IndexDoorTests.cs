using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Processes;
using Jackdaw.Storage.Errors;
using Xunit;

namespace Jackdaw.Indexing.Tests.Processes;

/// <summary>Readers of an index whose folder is not open at the moment.</summary>
public sealed class IndexDoorTests : IDisposable
{
    private readonly ManualResetEventSlim _mayOpen = new(initialState: true);
    private volatile bool _isDiskFull;

    [Fact]
    public async Task Readers_wait_for_a_folder_that_opens_and_hold_no_thread()
    {
        await using var db = await OpenAsync();
        _mayOpen.Reset();
        var index = await db.EnsureAsync("Users", "name");

        // Each call comes back at once: this thread goes on to the next one.
        var readings = Enumerable.Range(0, 100).Select(_ => index.OpenReadAsync("test", default).AsTask()).ToList();
        var staleness = index.IsStaleAsync(default).AsTask();

        Assert.DoesNotContain(readings, reading => reading.IsCompleted);
        Assert.False(staleness.IsCompleted);
        _mayOpen.Set();
        foreach (var reading in readings)
            (await reading).Dispose();
        await staleness;
    }

    [Fact]
    public async Task A_reader_waits_for_the_folder_that_follows_a_reset()
    {
        await using var db = await OpenAsync();
        await db.PutAsync("users/1", "Users", "");
        var index = await db.EnsureAsync("Users", "name");
        await db.CatchUpAsync(index);
        var former = index.InstanceId;
        _mayOpen.Reset();
        await db.Indexes.ResetAsync(index.Name);

        var opening = index.OpenReadAsync("test", default).AsTask();

        Assert.False(opening.IsCompleted);
        _mayOpen.Set();
        using var reading = await opening;
        Assert.NotEqual(former, reading.InstanceId);
    }

    [Fact]
    public async Task A_reader_that_waits_ends_when_the_index_is_disabled_or_its_client_goes()
    {
        await using var db = await OpenAsync();
        _mayOpen.Reset();
        var index = await db.EnsureAsync("Users", "name");
        using var gone = new CancellationTokenSource();
        var ofClientThatGoes = index.OpenReadAsync("test", gone.Token).AsTask();
        var opening = index.OpenReadAsync("test", default).AsTask();

        await gone.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => ofClientThatGoes);
        await db.Indexes.SetDisabledAsync(index.Name, true);

        Assert.Contains(
            "is disabled",
            (await Assert.ThrowsAsync<IndexUnavailableException>(() => opening)).Message,
            StringComparison.Ordinal
        );
        _mayOpen.Set();
    }

    [Fact]
    public async Task A_folder_that_the_disk_refuses_ends_the_wait_and_is_read_when_there_is_room()
    {
        await using var db = await OpenAsync();
        _isDiskFull = true;
        var index = await db.EnsureAsync("Users", "name");

        var refusal = await Assert.ThrowsAsync<IndexUnavailableException>(() => index.OpenReadAsync("test", default).AsTask());

        Assert.Contains("cannot be opened", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("no space left on the device", refusal.Message, StringComparison.Ordinal);
        _isDiskFull = false;
        await Eventually.IsAsync(() => index.Status == IndexRunStatus.Running);
        (await index.OpenReadAsync("test", default)).Dispose();
    }

    public void Dispose() => _mayOpen.Dispose();

    private Task<IndexedDatabase> OpenAsync() =>
        IndexedDatabase.OpenAsync(
            new IndexingOptions
            {
                Threads = 3,
                OpenContent = (storage, id) =>
                {
                    _mayOpen.Wait(Eventually.Patience);
                    if (_isDiskFull)
                        throw new DiskFullException("index", "write", 0, DiskFullException.ErrnoNoSpace);
                    return RecordedContent.Open(storage, id);
                },
            }
        );
}
