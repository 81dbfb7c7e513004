using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Hosting;
using Jackdaw.Documents.Merging;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Storage;
using Jackdaw.Storage.Disk;
using Xunit;

namespace Jackdaw.Documents.Tests.Regressions;

/// <summary>
/// Scratch reached its limit while the merger's own transaction was open (one merged transaction of random ids touches more than
/// that by itself). The merger then
/// waited for scratch to fall before its next step; but scratch is only given back when no transaction is open, so it waited for
/// itself, for ever, and with it every
/// write and every attempt to close the database.
/// </summary>
public sealed class ScratchAtItsLimitTests
{
    private static DatabaseHost Host(FaultyDisk disk) =>
        new(
            Guid.NewGuid(),
            disk,
            new HostOptions
            {
                Merger = new MergerOptions { DatabaseName = "test" },
                Storage = new EnvironmentOptions
                {
                    JournalFileBytes = 4 << 20,
                    MaxDataFileBytes = 1L << 30,
                    MaxScratchBytes = 2 << 20,
                    FlushThresholdBytes = 1 << 20,
                },
            },
            new ConsumerPositions(TimeProvider.System)
        );

    private static BatchOperation MoreThanScratchHolds(string prefix)
    {
        string json = $$"""{"text":"{{new string('x', 30_000)}}"}""";
        var batch = TestDatabase.Put($"{prefix}/0", json);
        for (int i = 1; i < 150; i++)
            TestDatabase.AddPut(batch, $"{prefix}/{i}", json);
        return batch;
    }

    [Fact]
    public async Task The_merger_does_not_wait_for_scratch_that_only_its_own_open_transaction_holds_up()
    {
        var disk = new FaultyDisk();
        var host = Host(disk);
        using var journalMayWrite = new ManualResetEventSlim();
        Task large = Task.CompletedTask;
        var first = host
            .Merger.Submit(
                new ScriptedOperation(writer =>
                {
                    writer.NextEtag();
                    // Queued while this one executes: the write is then the journal thread's, and the merger goes on to the next
                    // transaction meanwhile.
                    disk.BeforeWrite = mode =>
                    {
                        if (mode == DiskFileMode.Direct)
                            journalMayWrite.Wait(Eventually.Patience);
                    };
                    large = host.Merger.Submit(MoreThanScratchHolds("docs")).AsTask();
                })
            )
            .AsTask();
        await Eventually.IsAsync(() => host.Storage.ScratchPressure >= 1);
        journalMayWrite.Set();
        await first.WaitAsync(Eventually.Patience);
        await large.WaitAsync(Eventually.Patience);
        await host.Merger.Submit(TestDatabase.Put("after", "{}")).AsTask().WaitAsync(Eventually.Patience);
        host.BeginClose(new DatabaseDisabledException("test"));
        await Task.Run(host.EndClose).WaitAsync(Eventually.Patience);
    }

    /// <summary>
    /// The same hang with no transaction open: a reader was at the newest transaction while that one was flushed, and ended
    /// afterwards. Nothing was left to flush, and
    /// only a flush or a writer looked for scratch that could be given back; the writer, however, was waiting for it.
    /// </summary>
    [Fact]
    public async Task Scratch_that_a_reader_held_is_given_back_when_nothing_is_left_to_flush()
    {
        var disk = new FaultyDisk();
        var host = Host(disk);
        using var dataMayBeWritten = new ManualResetEventSlim();
        disk.BeforeWrite = mode =>
        {
            if (mode == DiskFileMode.Data)
                dataMayBeWritten.Wait(Eventually.Patience);
        };
        await host.Merger.Submit(MoreThanScratchHolds("docs")).AsTask().WaitAsync(Eventually.Patience);
        using (host.Storage.BeginRead("long"))
        {
            dataMayBeWritten.Set();
            await Eventually.IsAsync(() =>
                host.Storage.GetStatistics() is var statistics && statistics.FlushedTransaction == statistics.DurableTransaction
            );
            Assert.True(host.Storage.ScratchPressure >= 1);
        }
        await host.Merger.Submit(TestDatabase.Put("after", "{}")).AsTask().WaitAsync(Eventually.Patience);
        host.BeginClose(new DatabaseDisabledException("test"));
        await Task.Run(host.EndClose).WaitAsync(Eventually.Patience);
    }
}
