using Jackdaw.Documents.Hosting;
using Jackdaw.Storage;
using Jackdaw.Storage.Disk;
using Xunit;

namespace Jackdaw.Documents.Tests.Hosting;

/// <summary>An environment whose commits are made durable later: its host sees to it, and rests when there is nothing to see to.</summary>
public sealed class LazyEnvironmentHostTests
{
    private static readonly EnvironmentOptions s_lazy = new()
    {
        Name = "index",
        Durability = Durability.Lazy,
        JournalFileBytes = 1 << 20,
        MaxDataFileBytes = 1L << 30,
        FlushInterval = TimeSpan.FromMilliseconds(20),
        SyncInterval = TimeSpan.FromMilliseconds(40),
        LazyJournalInterval = TimeSpan.FromMilliseconds(50),
    };

    [Fact]
    public async Task A_commit_is_journaled_once_its_interval_has_passed_although_nobody_wakes_the_journal()
    {
        var clock = new ManualClock();
        using var threads = new StepThreads();
        var host = EnvironmentHost.Open(new MemoryDisk(), s_lazy with { Time = clock }, threads);
        host.Start();
        Commit(host);
        long committed = host.Storage.VisibleTransactionId;
        // The lane has looked more than once since, and the clock stands: it is not due.
        long turns = threads.Journals.Turns;
        await Eventually.IsAsync(() => threads.Journals.Turns >= turns + 3);
        Assert.True(host.Storage.DurableTransactionId < committed);

        clock.Advance(s_lazy.LazyJournalInterval);
        await Eventually.IsAsync(() => host.Storage.DurableTransactionId == committed);
        await CloseAsync(host);
    }

    [Fact]
    public async Task An_idle_environment_has_no_due_time_and_no_timer()
    {
        using var threads = new StepThreads();
        var host = EnvironmentHost.Open(new MemoryDisk(), s_lazy, threads);
        host.Start();
        for (int round = 0; round < 2; round++)
        {
            Commit(host);
            Commit(host);
            await Eventually.IsAsync(() => host.Storage.DurableTransactionId == host.Storage.VisibleTransactionId);
            await Eventually.IsAsync(() => threads.Clock.Waiting == 0);
            Assert.Equal(Timeout.InfiniteTimeSpan, host.Storage.NextJournalStep());
        }
        await CloseAsync(host);
    }

    private static void Commit(EnvironmentHost host)
    {
        using var writer = host.Storage.BeginWrite();
        writer.Catalog.OpenTree("tree").Put("key"u8, Guid.NewGuid().ToByteArray());
        writer.Commit();
    }

    private static async Task CloseAsync(EnvironmentHost host)
    {
        await host.EndAsync().WaitAsync(Eventually.Patience);
        host.CloseCleanly();
    }
}
