using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Hosting;
using Jackdaw.Documents.Merging;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Storage;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Xunit;

namespace Jackdaw.Documents.Tests.Regressions;

/// <summary>
/// A flush failed (EIO) while a merged transaction was executing. Its commit was then refused, but by that time its operations
/// had been moved to the list of what is
/// in flight, which nobody would ever answer: the callers hung, every later step waited for a journal write that did not exist,
/// and the database could not be
/// closed, deleted or disabled, nor the process stopped by a signal.
/// </summary>
public sealed class PoisonedWhileExecutingTests
{
    [Fact]
    public void A_poison_that_comes_while_a_transaction_executes_answers_its_callers()
    {
        using var database = new TestDatabase();
        database.Do(TestDatabase.Put("before", "{}"));
        var poisoned = database
            .Merger.Submit(
                new ScriptedOperation(writer =>
                {
                    writer.NextEtag();
                    database.Storage.PoisonBy(new IOException("flush failed"));
                })
            )
            .AsTask();
        var other = database.Merger.Submit(TestDatabase.Put("a", "{}")).AsTask();
        for (int i = 0; i < 5; i++)
        {
            database.Merger.RunStep();
            database.Storage.RunJournalStep();
        }
        Assert.All([poisoned, other], task => Assert.IsType<EnvironmentPoisonedException>(task.Exception?.InnerException));
        Assert.False(database.Merger.JournalWriteIsInFlight);
        Assert.Equal(MergerStep.Idle, database.Merger.RunStep());
        Assert.Equal((0, 0), (database.Merger.Statistics.WaitingOperations, database.Merger.Statistics.WaitingBytes));
        Assert.NotNull(database.Get("before"));
        Assert.Null(database.Get("a"));
    }

    /// <summary>The merger passed on the refusal of its own commit as the cause, so the message said "refuses writes" twice.</summary>
    [Fact]
    public void Callers_are_told_the_cause_of_a_poison_that_comes_while_their_transaction_executes()
    {
        using var database = new TestDatabase();
        var cause = new IOException("flush failed");
        var poisoned = database
            .Merger.Submit(
                new ScriptedOperation(writer =>
                {
                    writer.NextEtag();
                    database.Storage.PoisonBy(cause);
                })
            )
            .AsTask();
        for (int i = 0; i < 5; i++)
        {
            database.Merger.RunStep();
            database.Storage.RunJournalStep();
        }
        var refusal = Assert.IsType<EnvironmentPoisonedException>(poisoned.Exception?.InnerException);
        Assert.Same(cause, refusal.InnerException);
    }

    [Fact]
    public async Task A_database_that_is_poisoned_while_a_transaction_executes_can_be_closed()
    {
        var host = new DatabaseHost(
            Guid.NewGuid(),
            new MemoryDisk(),
            new HostOptions
            {
                Merger = new MergerOptions { DatabaseName = "test" },
                Storage = new EnvironmentOptions { JournalFileBytes = 1 << 20, MaxDataFileBytes = 1L << 30 },
            },
            new ConsumerPositions(TimeProvider.System)
        );
        var task = host
            .Merger.Submit(
                new ScriptedOperation(writer =>
                {
                    writer.NextEtag();
                    host.Storage.PoisonBy(new IOException("flush failed"));
                })
            )
            .AsTask();
        await Assert.ThrowsAsync<EnvironmentPoisonedException>(() => task.WaitAsync(Eventually.Patience));
        host.BeginClose(new DatabaseDisabledException("test"));
        await Task.Run(host.EndClose).WaitAsync(Eventually.Patience);
    }
}
