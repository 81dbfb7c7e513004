using System.Text;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Hosting;
using Jackdaw.Documents.Merging;
using Jackdaw.Documents.Writing;
using Jackdaw.Storage;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Memory;
using Xunit;

namespace Jackdaw.Documents.Tests;

/// <summary>What batches keep for the next ones is bounded, and what waits is drawn from the server's allowance.</summary>
public sealed class MemoryTests
{
    /// <summary>Each of 1,024 commands kept up to 64 KB, and 256 batches were kept: 16 GB.</summary>
    [Fact]
    public void Batches_of_many_long_ids_leave_no_more_than_the_bound()
    {
        var id = Encoding.ASCII.GetBytes("things/" + new string('x', 450));
        var metadata = Encoding.ASCII.GetBytes($$$"""{"@metadata":{"@collection":"T","a":"{{{new string('y', 30_000)}}}"}}""");
        var batches = new List<BatchOperation>();
        for (int i = 0; i < 40; i++)
        {
            var batch = BatchOperation.Rent();
            for (int command = 0; command < 1500; command++)
            {
                batch.AddDelete().SetId(id);
                var put = batch.AddPut();
                put.SetId(id);
                if (command < 100)
                    put.SetDocument(metadata, Limits.Default);
            }
            batches.Add(batch);
        }
        foreach (var batch in batches)
        {
            batch.Return();
            Assert.InRange(batch.KeptBytes, 1, BatchOperation.MaxKeptBytes);
            Assert.InRange(BatchPool.Instance.KeptBytes, 0, BatchPool.MaxBytes);
        }
        // Other tests use batches at the same time: it does end once they leave the pool alone between two trims.
        Assert.True(BatchPool.Instance.KeptBytes > 0);
        BatchPool.Instance.Trim();
        Assert.True(BatchPool.Instance.Trim() > 0);
    }

    [Fact]
    public void Operations_that_wait_are_drawn_from_the_allowance_and_refused_beyond_it_but_for_one()
    {
        var allowance = new MemoryAllowance(10_000);
        using var disk = new MemoryDisk();
        using var storage = StorageEnvironment.Open(
            disk,
            new EnvironmentOptions
            {
                Name = "test",
                MaxDataFileBytes = 1L << 30,
                Memory = allowance,
            }
        );
        var databaseId = Guid.NewGuid();
        DatabaseFormat.Ensure(storage, databaseId);
        var writer = new DocumentsWriter("A", databaseId, TimeProvider.System, Guid.NewGuid);
        var merger = new TransactionMerger(
            storage,
            writer,
            new MergerOptions { DatabaseName = "test", RunAnswers = item => item.Execute() },
            () => { },
            new Watching.ChangeWatchers()
        );
        var waiting = allowance.Account("waiting operations");
        // Scratch has taken it all: one operation is taken all the same, the next is refused.
        Assert.True(allowance.Pressure > 1);
        var first = merger.Submit(new ScriptedOperation(w => w.NextEtag(), sizeBytes: 1000)).AsTask();
        Assert.Equal(1512, waiting.UsedBytes);
        var refused = Assert.Throws<MergerQueueFullException>(() =>
        {
            _ = merger.Submit(new ScriptedOperation(w => w.NextEtag())).AsTask();
        });
        Assert.Contains("Limits.MemoryAllowanceInMb", refused.Message, StringComparison.Ordinal);
        while (merger.RunStep() != MergerStep.Idle | storage.RunJournalStep()) { }
        Assert.True(first.IsCompletedSuccessfully);
        Assert.Equal((0, 0L), (waiting.UsedBytes, merger.Statistics.WaitingBytes));
        merger.Abandon();
    }

    /// <summary>It showed in no statistic: a disk that refuses new files was noticed when a rotation had to wait for one.</summary>
    [Fact]
    public void A_spare_journal_file_that_cannot_be_made_shows_in_the_statistics()
    {
        var disk = new FaultyDisk();
        using var database = new TestDatabase(disk: disk);
        Assert.Equal((0, null), Failures());
        disk.JournalIsFull = true;
        for (int i = 0; i < 40 && Failures().Count == 0; i++)
        {
            database.Do(TestDatabase.Put($"a/{i}", $$"""{"t":"{{new string('x', 100_000)}}"}"""));
            database.Storage.RunSpareStep();
        }
        Assert.True(Failures().Count > 0);
        Assert.Contains("journal", Failures().Last, StringComparison.Ordinal);

        (long Count, string? Last) Failures()
        {
            var statistics = database.Storage.GetStatistics();
            return (statistics.SpareJournalFailures, statistics.LastSpareJournalFailure);
        }
    }

    [Fact]
    public void A_machine_without_the_compression_library_is_told_the_package()
    {
        Assert.Null(StorageEnvironment.CompressionNotice(canCompress: true));
        Assert.Contains("libzstd1", StorageEnvironment.CompressionNotice(canCompress: false), StringComparison.Ordinal);
    }
}
