using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Hosting;
using Jackdaw.Storage;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Xunit;

namespace Jackdaw.Documents.Tests.Hosting;

/// <summary>
/// An exception that nobody foresaw, in each kind of step that is run for a database: the database refuses writes and tells the
/// cause, its callers are answered, and the process and the other databases go on.
/// </summary>
public sealed class PlantedExceptionTests
{
    private static readonly EnvironmentOptions s_hasty = new()
    {
        JournalFileBytes = 1 << 20,
        MaxDataFileBytes = 1L << 30,
        FlushInterval = TimeSpan.FromMilliseconds(20),
        SyncInterval = TimeSpan.FromMilliseconds(40),
    };

    public enum Step
    {
        Journal,
        EndOfJournal,
        Flush,
        Sync,
        Spare,
        Eviction,
        Merger,
        TombstoneCleaning,
        Changed,
    }

    [Theory]
    [InlineData(Step.Journal)]
    [InlineData(Step.EndOfJournal)]
    [InlineData(Step.Flush)]
    [InlineData(Step.Sync)]
    [InlineData(Step.Spare)]
    [InlineData(Step.Eviction)]
    [InlineData(Step.Merger)]
    [InlineData(Step.TombstoneCleaning)]
    [InlineData(Step.Changed)]
    public async Task An_unexpected_exception_in_a_step_poisons_its_database_and_no_other(Step step)
    {
        using var threads = new StepThreads();
        var clock = new PlantedClock();
        var cleaning = step == Step.TombstoneCleaning ? TimeSpan.FromMilliseconds(50) : TimeSpan.FromMinutes(5);
        var database = new HostedDatabase(
            threads,
            "planted",
            step == Step.Eviction ? s_hasty with { Time = clock } : s_hasty,
            clock,
            cleaning
        );
        await using var other = new HostedDatabase(threads, "other", s_hasty);
        await database.PutAsync("before");
        var planted = new TimeZoneNotFoundException("Planted.");
        Plant(step, database, clock, planted);
        // Each write is answered, whatever with, until the poison refuses it.
        int round = 0;
        await Eventually.IsAsync(async () =>
        {
            var writes = Enumerable.Range(0, 4).Select(i => TryPutAsync(database, $"docs/{round}/{i}")).ToArray();
            round++;
            await Task.WhenAll(writes);
            return database.Host.Storage.Poison is not null;
        });
        Assert.Same(planted, database.Host.Storage.Poison);
        var refusal = await Assert.ThrowsAsync<EnvironmentPoisonedException>(() => database.PutAsync("late"));
        Assert.Same(planted, refusal.InnerException);
        Assert.True(database.Has("before"));
        for (int i = 0; i < 20; i++)
            await other.PutAsync($"other/{i}");
        Assert.Null(other.Host.Storage.Poison);
        await database.CloseAsync();
        await other.PutAsync("after");
    }

    /// <summary>With one write on a quiet database the merger's thread runs the journal step, and nobody comes later to wake it.</summary>
    [Fact]
    public async Task A_single_write_whose_end_was_lost_on_the_mergers_thread_is_answered()
    {
        using var threads = new StepThreads();
        var clock = new PlantedClock();
        var database = new HostedDatabase(threads, "planted", clock: clock);
        await database.PutAsync("before");
        PlantAtEndOfWrite(database, clock);
        await Assert.ThrowsAsync<CommitOutcomeUnknownException>(() => database.PutAsync("single"));
        await database.CloseAsync();
    }

    [Fact]
    public async Task A_single_write_whose_end_was_lost_while_its_database_is_closed_is_answered()
    {
        using var threads = new StepThreads();
        using var executes = new ManualResetEventSlim();
        using var mayExecute = new ManualResetEventSlim();
        using var mayWrite = new ManualResetEventSlim();
        var executed = new TaskCompletionSource();
        var clock = new PlantedClock();
        var database = new HostedDatabase(threads, "planted", clock: clock);
        await database.PutAsync("before");
        PlantAtEndOfWrite(database, clock, beforeFirst: () => mayWrite.Wait(Eventually.Patience));
        // Something is queued when the first commits, so the journal's thread writes it; the second is executed meanwhile.
        var first = database.SubmitAsync(
            new ScriptedOperation(writer =>
            {
                executes.Set();
                mayExecute.Wait(Eventually.Patience);
                writer.NextEtag();
            })
        );
        Assert.True(executes.Wait(Eventually.Patience));
        var second = database.SubmitAsync(
            new ScriptedOperation(writer =>
            {
                writer.NextEtag();
                executed.TrySetResult();
            })
        );
        mayExecute.Set();
        await executed.Task.WaitAsync(Eventually.Patience);
        database.Host.BeginClose(new DatabaseDisabledException("planted"));
        await Eventually.IsAsync(() => IsClosed(database));
        // The merger takes the write itself only where the journal's thread has come out of the one before.
        clock.BeforeMerger = () => SpinWait.SpinUntil(() => !database.Host.Storage.HasJournalWork, Eventually.Patience);
        mayWrite.Set();
        await first;
        await Assert.ThrowsAsync<CommitOutcomeUnknownException>(() => second);
        await database.CloseAsync();
    }

    /// <summary>Asked with an operation that is too large to be queued.</summary>
    private static bool IsClosed(HostedDatabase database)
    {
        var tooLarge = new ScriptedOperation(static _ => { }, sizeBytes: 1L << 40);
        try
        {
            _ = database.SubmitAsync(tooLarge);
        }
        catch (DatabaseDisabledException)
        {
            return true;
        }
        catch (MergerQueueFullException)
        {
            return false;
        }
        throw new InvalidOperationException("It was taken.");
    }

    /// <summary>After a journal write, where its commit ends: it has left the journal's queue and is not answered.</summary>
    /// <param name="beforeFirst">Instead, for the first write.</param>
    private static void PlantAtEndOfWrite(HostedDatabase database, PlantedClock clock, Action? beforeFirst = null) =>
        database.Disk.BeforeWrite = mode =>
        {
            if (mode != DiskFileMode.Direct || IsOnFlush())
                return;
            if (Interlocked.Exchange(ref beforeFirst, null) is { } before)
                before();
            else
                clock.PlantHere(new TimeZoneNotFoundException("Planted."));
        };

    private static async Task TryPutAsync(HostedDatabase database, string id)
    {
        try
        {
            await database.PutAsync(id, $$"""{"text":"{{new string('x', 5000)}}"}""");
        }
        catch (Exception answer)
            when (answer is EnvironmentPoisonedException or CommitOutcomeUnknownException or DatabaseUnavailableException)
        {
            // An answer.
        }
    }

    private static void Plant(Step step, HostedDatabase database, PlantedClock clock, Exception planted)
    {
        switch (step)
        {
            case Step.Journal:
                database.Disk.BeforeWrite = mode => ThrowIf(mode == DiskFileMode.Direct && !IsOnFlush());
                break;
            case Step.EndOfJournal:
                // The merger is told of the end, and looks at its clock first.
                database.Disk.BeforeWrite = mode =>
                {
                    if (mode == DiskFileMode.Direct && !IsOnFlush())
                        clock.PlantHere(planted);
                };
                break;
            case Step.Flush:
                database.Disk.BeforeWrite = mode => ThrowIf(mode == DiskFileMode.Data);
                break;
            case Step.Sync:
                database.Disk.BeforeSync = mode => ThrowIf(mode == DiskFileMode.Data);
                break;
            case Step.Spare:
                database.Disk.BeforeOpen = mode => ThrowIf(mode == DiskFileMode.Direct && IsOnFlush());
                database.Disk.BeforeWrite = mode => ThrowIf(mode == DiskFileMode.Direct && IsOnFlush());
                break;
            case Step.Eviction:
                clock.FaultInEviction = planted;
                break;
            case Step.Merger:
                _ = database
                    .Host.Merger.Submit(
                        new ScriptedOperation(writer =>
                        {
                            writer.NextEtag();
                            throw planted;
                        })
                    )
                    .AsTask()
                    .ContinueWith(static ended => ended.Exception, TaskScheduler.Default);
                break;
            case Step.TombstoneCleaning:
                clock.FaultOnFlush = planted;
                break;
            case Step.Changed:
                database.Host.Watchers.Watch(null, () => throw planted);
                break;
            default:
                throw new ArgumentOutOfRangeException(nameof(step));
        }

        void ThrowIf(bool isHere)
        {
            if (isHere)
                throw planted;
        }
    }

    /// <summary>Spare files are made and the cleaner runs there, and nothing else writes to journal files there.</summary>
    private static bool IsOnFlush() => Thread.CurrentThread.Name?.StartsWith("flush", StringComparison.Ordinal) == true;

    private sealed class PlantedClock : TimeProvider
    {
        private Exception? _fault;
        private Thread? _thread;

        /// <summary>Thrown once, on the thread that calls this.</summary>
        public void PlantHere(Exception fault)
        {
            _thread = Thread.CurrentThread;
            Volatile.Write(ref _fault, fault);
        }

        /// <summary>Thrown on a thread of the flush set.</summary>
        public Exception? FaultOnFlush { get; set; }

        /// <summary>Thrown while the background lane looks for evicted pages.</summary>
        public Exception? FaultInEviction { get; set; }

        /// <summary>Called on the merger's thread before it is told the time.</summary>
        public Action? BeforeMerger { get; set; }

        public override long GetTimestamp()
        {
            if (Volatile.Read(ref _fault) is { } fault && _thread == Thread.CurrentThread)
            {
                Volatile.Write(ref _fault, null);
                throw fault;
            }
            if (
                FaultInEviction is { } evicting
                && IsOnFlush()
                && Environment.StackTrace.Contains("RunEvictionStep", StringComparison.Ordinal)
            )
                throw evicting;
            if (BeforeMerger is { } before && Thread.CurrentThread.Name?.StartsWith("merger", StringComparison.Ordinal) == true)
                before();
            return base.GetTimestamp();
        }

        public override DateTimeOffset GetUtcNow()
        {
            if (FaultOnFlush is { } fault && IsOnFlush())
                throw fault;
            return base.GetUtcNow();
        }
    }
}
