using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Hosting;
using Jackdaw.Storage;
using Jackdaw.Storage.Disk;
using Xunit;

namespace Jackdaw.Documents.Tests.Hosting;

/// <summary>Many databases on few threads: none keeps the others waiting, and an idle one costs nothing.</summary>
[Trait("Category", "Slow")]
public sealed class SharedThreadsTests
{
    /// <summary>Everything flushed and synced within a moment.</summary>
    private static readonly EnvironmentOptions s_hasty = new()
    {
        JournalFileBytes = 1 << 20,
        MaxDataFileBytes = 1L << 30,
        FlushInterval = TimeSpan.FromMilliseconds(20),
        SyncInterval = TimeSpan.FromMilliseconds(40),
    };

    private static readonly EnvironmentOptions s_littleScratch = new()
    {
        JournalFileBytes = 4 << 20,
        MaxDataFileBytes = 1L << 30,
        MaxScratchBytes = 2 << 20,
        FlushThresholdBytes = 1 << 20,
    };

    [Fact]
    public async Task A_database_that_is_written_to_all_the_time_does_not_keep_another_one_waiting()
    {
        using var threads = new StepThreads(most: 1);
        await using var busy = new HostedDatabase(threads, "busy");
        await using var calm = new HostedDatabase(threads, "calm");
        using var end = new CancellationTokenSource();
        long written = 0;
        var writers = Enumerable
            .Range(0, 16)
            .Select(writer =>
                Task.Run(async () =>
                {
                    for (int i = 0; !end.IsCancellationRequested; i++)
                    {
                        await busy.PutAsync($"{writer}/{i % 100}");
                        Interlocked.Increment(ref written);
                    }
                })
            )
            .ToArray();
        await Eventually.IsAsync(() => Volatile.Read(ref written) > 100);
        for (int i = 0; i < 50; i++)
            await calm.PutAsync($"calm/{i}");
        long before = Volatile.Read(ref written);
        await Eventually.IsAsync(() => Volatile.Read(ref written) > before + 100);
        await end.CancelAsync();
        await Task.WhenAll(writers);
    }

    /// <summary>One turn that always has more to do: with one thread, another lane runs only if turns are taken.</summary>
    [Fact]
    public async Task A_lane_that_never_runs_out_of_work_takes_turns_with_others()
    {
        using var threads = new StepThreads(most: 1);
        int endlessTurns = 0;
        int ended = 0;
        StepRest Failed(Exception fault) => StepRest.Ended;
        var endless = new StepLane(
            threads.Flushers,
            () =>
            {
                endlessTurns++;
                return Volatile.Read(ref ended) == 1 ? StepRest.Ended : StepRest.Again;
            },
            Failed
        );
        endless.Wake();
        await Eventually.IsAsync(() => Volatile.Read(ref endlessTurns) > 10);
        var other = new StepLane(threads.Flushers, () => StepRest.Ended, Failed);
        other.Wake();
        await other.Ended.WaitAsync(Eventually.Patience);
        Volatile.Write(ref ended, 1);
        await endless.Ended.WaitAsync(Eventually.Patience);
    }

    /// <summary>Its wake must not be left for a later sleep: the set would then count on a thread that runs a lane or has ended.</summary>
    [Fact]
    public async Task A_thread_that_is_woken_as_its_sleep_times_out_is_not_counted_on_after_its_end()
    {
        using var clock = new StepClock(static thread => thread.Start());
        using var timedOut = new ManualResetEventSlim();
        using var mayGoOn = new ManualResetEventSlim();
        using var slowMayEnd = new ManualResetEventSlim();
        using var slowRuns = new ManualResetEventSlim();
        using var threads = new StepThreadSet("test", 2, TimeSpan.Zero, clock, static thread => thread.Start())
        {
            SurplusSleep = TimeSpan.FromMilliseconds(10),
            SleepTimedOut = () =>
            {
                timedOut.Set();
                mayGoOn.Wait(Eventually.Patience);
            },
        };
        var slow = new StepLane(
            threads,
            () =>
            {
                slowRuns.Set();
                slowMayEnd.Wait(Eventually.Patience);
                return StepRest.Ended;
            },
            static _ => StepRest.Ended
        );
        slow.Wake();
        Assert.True(slowRuns.Wait(Eventually.Patience));
        // The second thread, which sleeps afterwards until its time has passed.
        await RunOnceAsync();
        Assert.True(timedOut.Wait(Eventually.Patience));
        var woken = RunOnceAsync();
        mayGoOn.Set();
        await woken;
        await Eventually.IsAsync(() => threads.Count == 1);
        try
        {
            await RunOnceAsync();
            Assert.False(slow.Ended.IsCompleted);
        }
        finally
        {
            slowMayEnd.Set();
        }
        await slow.Ended.WaitAsync(Eventually.Patience);

        Task RunOnceAsync()
        {
            var lane = new StepLane(threads, static () => StepRest.Ended, static _ => StepRest.Ended);
            lane.Wake();
            return lane.Ended.WaitAsync(Eventually.Patience);
        }
    }

    [Fact]
    public async Task A_merger_that_waits_for_scratch_gives_its_thread_to_others()
    {
        using var threads = new StepThreads(most: 1);
        await using var full = new HostedDatabase(threads, "full", s_littleScratch);
        await using var other = new HostedDatabase(threads, "other");
        string json = $$"""{"text":"{{new string('x', 30_000)}}"}""";
        Task waiting;
        // What is written while the reader lives cannot be flushed, so scratch stays at its limit.
        using (full.Host.Storage.BeginRead("long"))
        {
            await full.PutAsync("first", json);
            int i = 0;
            while (full.Host.Storage.ScratchPressure < 1)
            {
                var batch = TestDatabase.Put($"docs/{i}/0", json);
                for (int part = 1; part < 20; part++)
                    TestDatabase.AddPut(batch, $"docs/{i}/{part}", json);
                i++;
                await full.SubmitAsync(batch);
            }
            waiting = full.PutAsync("late");
            for (int n = 0; n < 20; n++)
                await other.PutAsync($"other/{n}");
            Assert.False(waiting.IsCompleted);
        }
        await waiting;
    }

    [Fact]
    public async Task A_disk_that_hangs_in_a_journal_write_holds_up_its_own_database_only()
    {
        using var threads = new StepThreads();
        using var mayWrite = new ManualResetEventSlim();
        var hanging = new HostedDatabase(threads, "hanging");
        await using var other = new HostedDatabase(threads, "other");
        await hanging.PutAsync("before");
        hanging.Disk.BeforeWrite = mode =>
        {
            if (mode == DiskFileMode.Direct)
                mayWrite.Wait(Eventually.Patience);
        };
        var held = hanging.PutAsync("held");
        var behind = Enumerable.Range(0, 10).Select(i => hanging.PutAsync($"behind/{i}")).ToArray();
        for (int i = 0; i < 50; i++)
            await other.PutAsync($"other/{i}");
        Assert.False(held.IsCompleted);
        mayWrite.Set();
        await held;
        await Task.WhenAll(behind);
        await hanging.CloseAsync();
    }

    [Fact]
    public async Task Databases_that_nobody_uses_wake_no_thread_and_keep_few()
    {
        using var threads = new StepThreads();
        var databases = Enumerable.Range(0, 30).Select(i => new HostedDatabase(threads, $"db{i}", s_hasty)).ToArray();
        await Task.WhenAll(
            databases.Select(async database =>
            {
                for (int i = 0; i < 5; i++)
                    await database.PutAsync($"docs/{i}");
            })
        );
        Assert.All(databases, database => Assert.True(database.Has("docs/4")));
        Assert.True(
            threads.Count <= StepThreads.MostMergers + StepThreads.MostJournals + StepThreads.MostFlushers + 1,
            $"{threads.Count} threads"
        );
        await Eventually.IsAsync(() => threads.Count == 4);
        // The tombstone cleaner has its first look after the interval: nothing else may come.
        await Eventually.IsAsync(async () =>
        {
            long turns = Turns();
            await Task.Delay(1000);
            return Turns() == turns;
        });
        // Woken by whoever uses it, and again at rest afterwards.
        await databases[3].PutAsync("again");
        Assert.True(databases[3].Has("again"));
        await Eventually.IsAsync(() =>
        {
            var statistics = databases[3].Host.Storage.GetStatistics();
            return statistics.FlushedTransaction == statistics.DurableTransaction;
        });
        foreach (var database in databases)
            await database.CloseAsync();

        long Turns() => threads.Mergers.Turns + threads.Journals.Turns + threads.Flushers.Turns;
    }

    [Fact]
    public async Task Tombstones_go_although_nobody_has_written_since_a_consumer_moved_on()
    {
        using var threads = new StepThreads();
        await using var database = new HostedDatabase(threads, "db", s_hasty, cleaning: TimeSpan.FromMilliseconds(50));
        var consumer = database.Consumers.Register("slow", 0);
        await database.PutAsync("a");
        await database.SubmitAsync(TestDatabase.Delete("a"));
        // At rest: a round has found nothing to remove.
        await Eventually.IsAsync(async () =>
        {
            long turns = threads.Flushers.Turns;
            await Task.Delay(500);
            return threads.Flushers.Turns == turns;
        });
        Assert.Equal(1, Tombstones());
        consumer.Etag = 2;
        await Eventually.IsAsync(() => Tombstones() == 0);

        long Tombstones()
        {
            using var reader = new Reading.DocumentsReader(database.Host.Storage.BeginRead("test"), null);
            return reader.TombstoneCount;
        }
    }
}
