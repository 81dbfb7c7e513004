using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Merging;
using Jackdaw.Storage.Errors;
using Xunit;

namespace Jackdaw.Documents.Tests;

public sealed class MergerTests
{
    private static readonly TimeSpan s_tick = TimeSpan.FromMilliseconds(1);

    private static BatchOperation PutThenConflict(string id)
    {
        var batch = TestDatabase.Put(id, "{}");
        TestDatabase.AddPut(batch, "taken", "{}", expected: "");
        return batch;
    }

    [Fact]
    public void One_bad_operation_fails_alone_and_leaves_no_gap_in_the_etags()
    {
        using var database = new TestDatabase();
        database.Do(TestDatabase.Put("taken", "{}"));
        var a = TestDatabase.Put("a", "{}");
        var b = TestDatabase.Put("b", "{}");
        var tasks = new[]
        {
            database.Merger.Submit(a).AsTask(),
            database.Merger.Submit(PutThenConflict("x")).AsTask(),
            database.Merger.Submit(b).AsTask(),
            database.Merger.Submit(PutThenConflict("y")).AsTask(),
        };
        database.RunAll();
        Assert.True(tasks[0].IsCompletedSuccessfully && tasks[2].IsCompletedSuccessfully);
        Assert.All([tasks[1], tasks[3]], task => Assert.IsType<ConcurrencyException>(task.Exception?.InnerException));
        Assert.Equal((2, 3), (((PutCommand)a.Commands[0]).Etag, ((PutCommand)b.Commands[0]).Etag));
        using var reader = database.Read();
        Assert.Equal((3, 3), (reader.LastEtag, reader.DocumentCount));
        var statistics = database.Merger.Statistics;
        Assert.Equal((2, 2, 2, 0), (statistics.Transactions, statistics.Refusals, statistics.Reexecutions, statistics.WaitingOperations));
        Assert.Equal(0, statistics.WaitingBytes);
    }

    [Fact]
    public void An_operation_refused_before_it_changed_anything_costs_the_others_nothing()
    {
        using var database = new TestDatabase();
        database.Do(TestDatabase.Put("taken", "{}"));
        var counted = new ScriptedOperation(writer => writer.NextEtag());
        database.Merger.Submit(counted).AsTask();
        var refused = database.Merger.Submit(TestDatabase.Put("taken", "{}", expected: "")).AsTask();
        database.RunAll();
        Assert.True(refused.IsFaulted);
        Assert.Equal(1, counted.Executions);
    }

    [Fact]
    public void Readers_and_callers_learn_of_a_write_only_when_it_is_durable()
    {
        using var database = new TestDatabase();
        var task = database.Merger.Submit(TestDatabase.Put("a", "{}")).AsTask();
        Assert.Equal(MergerStep.Committed, database.Merger.RunStep());
        Assert.False(task.IsCompleted);
        Assert.Null(database.Get("a"));
        Assert.Equal((0, 0), (database.Merger.LastDurableEtag, database.Changes));
        Assert.True(database.Storage.RunJournalStep());
        Assert.True(task.IsCompletedSuccessfully);
        Assert.NotNull(database.Get("a"));
        Assert.Equal((1, 1), (database.Merger.LastDurableEtag, database.Changes));
    }

    [Fact]
    public void A_refusal_waits_until_what_it_saw_is_durable()
    {
        using var database = new TestDatabase();
        var first = database.Merger.Submit(TestDatabase.Put("a", "{}")).AsTask();
        Assert.Equal(MergerStep.Committed, database.Merger.RunStep());
        // It conflicts with a document that no disk holds yet: to tell its caller now could turn out to be a lie.
        var refused = database.Merger.Submit(TestDatabase.Put("a", "{}", expected: "")).AsTask();
        Assert.Equal(MergerStep.WaitsForJournal, database.Merger.RunStep());
        Assert.False(first.IsCompleted || refused.IsCompleted);
        database.Storage.RunJournalStep();
        Assert.True(first.IsCompletedSuccessfully);
        database.RunAll();
        Assert.IsType<ConcurrencyException>(refused.Exception?.InnerException);
    }

    [Fact]
    public void A_refusal_in_a_transaction_that_is_committed_waits_for_that_transaction()
    {
        using var database = new TestDatabase();
        var kept = database.Merger.Submit(TestDatabase.Put("a", "{}")).AsTask();
        var refused = database.Merger.Submit(TestDatabase.Put("a", "{}", expected: "")).AsTask();
        Assert.Equal(MergerStep.Committed, database.Merger.RunStep());
        Assert.False(kept.IsCompleted || refused.IsCompleted);
        database.Storage.RunJournalStep();
        Assert.True(kept.IsCompletedSuccessfully && refused.IsFaulted);
    }

    [Theory]
    [InlineData(4, false)] // executed for less than half of the write's time: what is queued at its end is taken too
    [InlineData(5, true)]
    [InlineData(50, true)]
    public void A_transaction_closes_at_the_end_of_the_write_before_it_if_it_executed_for_half_of_its_time(
        int executedTicks,
        bool closesAtOnce
    )
    {
        using var database = new TestDatabase();
        database.Merger.Submit(TestDatabase.Put("a", "{}")).AsTask();
        Assert.Equal(MergerStep.Committed, database.Merger.RunStep());
        database
            .Merger.Submit(
                new ScriptedOperation(writer =>
                {
                    writer.NextEtag();
                    database.Clock.Advance(s_tick * executedTicks);
                })
            )
            .AsTask();
        Assert.Equal(MergerStep.WaitsForJournal, database.Merger.RunStep());
        // The write takes ten ticks, or as long as was executed.
        database.Clock.Advance(s_tick * Math.Max(0, 10 - executedTicks));
        database.Storage.RunJournalStep();
        var late = new ScriptedOperation(writer => writer.NextEtag());
        var lateTask = database.Merger.Submit(late).AsTask();
        Assert.Equal(MergerStep.Committed, database.Merger.RunStep());
        Assert.Equal(closesAtOnce ? 0 : 1, late.Executions);
        database.RunAll();
        Assert.True(lateTask.IsCompletedSuccessfully);
        Assert.Equal(1, late.Executions);
    }

    [Fact]
    public void An_operation_that_arrives_while_the_last_are_taken_waits_for_the_next_transaction()
    {
        using var database = new TestDatabase();
        var late = new ScriptedOperation(writer => writer.NextEtag());
        database
            .Merger.Submit(
                new ScriptedOperation(writer =>
                {
                    writer.NextEtag();
                    database.Merger.Submit(late).AsTask();
                })
            )
            .AsTask();
        Assert.Equal(MergerStep.Committed, database.Merger.RunStep());
        Assert.Equal(0, late.Executions);
        database.RunAll();
        Assert.Equal(1, late.Executions);
    }

    [Fact]
    public void A_transaction_takes_no_more_than_its_limit_of_bytes()
    {
        using var database = new TestDatabase(Limits.Default with { MaxMergedTransactionBytes = 3000 });
        for (int i = 0; i < 10; i++)
            database.Merger.Submit(new ScriptedOperation(writer => writer.NextEtag(), sizeBytes: 1000)).AsTask();
        database.RunAll();
        Assert.Equal(5, database.Merger.Statistics.Transactions);
    }

    [Fact]
    public void A_write_in_the_foreground_is_recent_for_a_while_and_one_in_the_background_never()
    {
        using var database = new TestDatabase();
        var second = TimeSpan.FromSeconds(1);
        var load = TestDatabase.Put("load", "{}");
        load.IsBackground = true;
        database.Do(load);
        Assert.False(database.Merger.HadForegroundWithin(second));
        database.Do(TestDatabase.Put("a", "{}"));
        Assert.True(database.Merger.HadForegroundWithin(second));
        database.Clock.Advance(second + s_tick);
        Assert.False(database.Merger.HadForegroundWithin(second));
    }

    [Fact]
    public void The_queue_is_bounded_in_bytes_until_operations_are_answered()
    {
        using var database = new TestDatabase(Limits.Default with { MaxMergerQueueBytes = 5000 });
        for (int i = 0; i < 3; i++)
            database.Merger.Submit(new ScriptedOperation(writer => writer.NextEtag(), sizeBytes: 1000)).AsTask();
        Assert.Throws<MergerQueueFullException>(Submit);
        database.Merger.RunStep();
        Assert.Throws<MergerQueueFullException>(Submit);
        database.Storage.RunJournalStep();
        Submit();
        database.RunAll();
        // One that exceeds the bound by itself is taken when nothing else waits.
        database.Do(new ScriptedOperation(writer => writer.NextEtag(), sizeBytes: 100_000));
        Assert.Equal(0, database.Merger.Statistics.WaitingBytes);

        void Submit() => database.Merger.Submit(new ScriptedOperation(writer => writer.NextEtag(), sizeBytes: 1000)).AsTask();
    }

    [Fact]
    public void A_failed_journal_write_leaves_the_outcome_of_it_and_of_all_built_on_it_unknown()
    {
        using var disk = new FaultyDisk();
        using var database = new TestDatabase(disk: disk);
        database.Do(TestDatabase.Put("durable", "{}"));
        disk.JournalFails = true;
        var inFlight = database.Merger.Submit(TestDatabase.Put("a", "{}")).AsTask();
        Assert.Equal(MergerStep.Committed, database.Merger.RunStep());
        var builtOn = database.Merger.Submit(TestDatabase.Put("b", "{}")).AsTask();
        var refusedOnIt = database.Merger.Submit(TestDatabase.Put("a", "{}", expected: "")).AsTask();
        Assert.Equal(MergerStep.WaitsForJournal, database.Merger.RunStep());
        var queued = database.Merger.Submit(TestDatabase.Put("c", "{}")).AsTask();
        database.Storage.RunJournalStep();
        database.RunAll();
        Assert.All([inFlight, builtOn, refusedOnIt], task => Assert.IsType<CommitOutcomeUnknownException>(task.Exception?.InnerException));
        Assert.IsType<EnvironmentPoisonedException>(queued.Exception?.InnerException);
        Assert.Throws<EnvironmentPoisonedException>(() => database.SubmitOnly(TestDatabase.Put("d", "{}")));
        Assert.NotNull(database.Get("durable"));
        Assert.Null(database.Get("a"));
    }

    [Fact]
    public void What_is_no_declared_error_poisons_the_environment_and_leaves_no_trace()
    {
        using var database = new TestDatabase();
        database.Do(TestDatabase.Put("before", "{}"));
        string before = database.Dump();
        var other = database.Merger.Submit(TestDatabase.Put("a", "{}")).AsTask();
        var faulty = database
            .Merger.Submit(
                new ScriptedOperation(writer =>
                {
                    writer.NextEtag();
                    throw new InvalidOperationException("a bug");
                })
            )
            .AsTask();
        database.RunAll();
        Assert.All(
            [other, faulty],
            task =>
                Assert.Contains(
                    "a bug",
                    Assert.IsType<EnvironmentPoisonedException>(task.Exception?.InnerException).Message,
                    StringComparison.Ordinal
                )
        );
        Assert.Equal(before, database.Dump());
        Assert.NotNull(database.Storage.Poison);
    }

    [Fact]
    public void A_full_disk_refuses_the_transaction_and_writing_resumes_once_there_is_room()
    {
        using var disk = new FaultyDisk();
        using var database = new TestDatabase(disk: disk);
        disk.IsFull = true;
        string large = $$"""{"text":"{{new string('x', 100_000)}}"}""";
        int stored = 0;
        OutOfDiskException? refusal = null;
        while (refusal is null && stored < 1000)
        {
            try
            {
                database.Do(TestDatabase.Put($"docs/{stored}", large));
                stored++;
            }
            catch (OutOfDiskException full)
            {
                refusal = full;
            }
        }
        Assert.NotNull(refusal);
        using (var reader = database.Read())
            Assert.Equal((stored, stored), (reader.DocumentCount, reader.LastEtag));
        disk.IsFull = false;
        while (database.Storage.RunSpareStep()) { }
        database.Do(TestDatabase.Put("more", large));
        using (var reader = database.Read())
            Assert.Equal((stored + 1, stored + 1), (reader.DocumentCount, reader.LastEtag));
    }

    [Fact]
    public void What_is_too_much_for_one_transaction_together_gets_two()
    {
        using var database = new TestDatabase(maxTransactionBytes: 1 << 20);
        string Large(int bytes) => $$"""{"text":"{{new string('x', bytes)}}"}""";
        var first = database.Merger.Submit(TestDatabase.Put("a", Large(500_000))).AsTask();
        var second = database.Merger.Submit(TestDatabase.Put("b", Large(600_000))).AsTask();
        var third = database.Merger.Submit(TestDatabase.Put("c", Large(2_000_000))).AsTask();
        database.RunAll();
        Assert.True(first.IsCompletedSuccessfully && second.IsCompletedSuccessfully);
        Assert.IsType<OperationTooLargeException>(third.Exception?.InnerException);
        using var reader = database.Read();
        Assert.Equal((2, 2), (reader.DocumentCount, reader.LastEtag));
        Assert.Equal(2, database.Merger.Statistics.Transactions);
    }

    [Fact]
    public void An_operation_can_be_submitted_again_once_it_was_answered()
    {
        using var database = new TestDatabase();
        var next = new NextIdentityOperation("a");
        database.Do(next);
        database.Do(next);
        Assert.Equal(2, next.Value);
        database.Merger.Submit(next).AsTask();
        Assert.Throws<InvariantViolationException>(() => database.SubmitOnly(next));
    }

    [Fact]
    public void A_closed_merger_ends_what_was_begun_and_refuses_the_rest()
    {
        using var database = new TestDatabase();
        var begun = database.Merger.Submit(TestDatabase.Put("a", "{}")).AsTask();
        database.Merger.RunStep();
        var queued = database.Merger.Submit(TestDatabase.Put("b", "{}")).AsTask();
        database.Merger.Close(new DatabaseDisabledException("test"));
        database.RunAll();
        Assert.True(begun.IsCompletedSuccessfully);
        Assert.IsType<DatabaseDisabledException>(queued.Exception?.InnerException);
        Assert.Throws<DatabaseDisabledException>(() => database.SubmitOnly(TestDatabase.Put("c", "{}")));
        Assert.Equal((0, 0), (database.Merger.Statistics.WaitingBytes, database.Merger.Statistics.WaitingOperations));
    }

    [Fact]
    public async Task Callers_are_answered_on_the_thread_pool()
    {
        await using var databases = Databases.Open(new DatabasesOptions { DataDir = "unused", RunInMemory = true });
        await databases.CreateAsync("db", default);
        var database = databases.Get("db");
        var changed = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
        using var watch = database.Watch(null, () => changed.TrySetResult(Thread.CurrentThread.IsThreadPoolThread));
        var callers = Enumerable
            .Range(0, 100)
            .Select(i =>
                Task.Run(async () =>
                {
                    await database.SubmitAsync(TestDatabase.Put($"{i}", "{}")).ConfigureAwait(false);
                    return (Thread.CurrentThread.IsThreadPoolThread, Thread.CurrentThread.Name);
                })
            );
        Assert.All(
            await Task.WhenAll(callers),
            thread =>
            {
                Assert.True(thread.IsThreadPoolThread);
                Assert.DoesNotContain("journal", thread.Name ?? "", StringComparison.Ordinal);
            }
        );
        Assert.True(await changed.Task.WaitAsync(Eventually.Patience));
        Assert.Equal(100, database.Statistics().DocumentCount);
    }

    [Fact]
    public void Tombstones_are_removed_up_to_the_lowest_consumer_that_holds_them()
    {
        using var database = new TestDatabase();
        var consumers = new Tombstones.ConsumerPositions(database.Clock);
        var cleaner = new Tombstones.TombstoneCleaner(
            database.Merger,
            consumers,
            database.Clock,
            TimeSpan.FromMinutes(1),
            TimeSpan.FromDays(14)
        );
        for (int i = 0; i < 10; i++)
            database.Do(TestDatabase.Put($"a/{i}", "{}"));
        database.Do(TestDatabase.Delete("a/", prefix: true));
        var fast = consumers.Register("fast", 18);
        var slow = consumers.Register("slow", 14);
        Assert.Equal(10, Clean());
        database.Clock.Advance(TimeSpan.FromMinutes(2));
        Assert.Equal(6, Clean());
        // A disabled one holds them for a day, and is then told that it has missed some.
        slow.IsEnabled = false;
        database.Clock.Advance(TimeSpan.FromHours(23));
        Assert.Equal(6, Clean());
        Assert.False(slow.MustBeginAnew);
        database.Clock.Advance(TimeSpan.FromHours(2));
        Assert.Equal(2, Clean());
        Assert.True(slow.MustBeginAnew);
        slow.BeginAnew();
        Assert.Equal(0, slow.Etag);
        Assert.False(slow.MustBeginAnew);
        fast.Dispose();
        database.Clock.Advance(TimeSpan.FromMinutes(2));
        Assert.Equal(0, Clean());
        Assert.Equal(10, cleaner.Removed);
        using var reader = database.Read();
        Assert.Equal(20, reader.LastEtag);
        Assert.Equal(0, reader.Collection("@empty")!.TombstoneCount);

        long Clean()
        {
            for (int i = 0; i < 5; i++)
            {
                cleaner.RunStep();
                database.RunAll();
            }
            using var after = database.Read();
            return after.TombstoneCount;
        }
    }

    [Fact]
    public void Tombstones_that_grew_too_old_go_and_what_a_consumer_missed_is_noted()
    {
        using var database = new TestDatabase();
        var consumers = new Tombstones.ConsumerPositions(database.Clock);
        var cleaner = new Tombstones.TombstoneCleaner(
            database.Merger,
            consumers,
            database.Clock,
            TimeSpan.FromMinutes(1),
            TimeSpan.FromDays(14)
        );
        for (int i = 0; i < 6; i++)
            database.Do(TestDatabase.Put($"a/{i}", "{}"));
        database.Do(TestDatabase.Delete("a/", prefix: true));
        consumers.Register("Slow", 8);
        consumers.Register("elsewhere", 7, collection => collection == "Orders");
        consumers.Register("fast", 12);
        database.Clock.Advance(TimeSpan.FromDays(13));
        database.Do(TestDatabase.Put("a/7", "{}"));
        database.Do(TestDatabase.Delete("a/7"));
        RunCleaner();
        // Up to the lowest consumer of their collection, and nothing has been missed.
        Assert.Equal((5, 0), Left());
        database.Clock.Advance(TimeSpan.FromDays(2));
        RunCleaner();
        Assert.Equal((1, 1), Left());
        Assert.Equal(new Tombstones.DeletionGap("slow", 8, 12, 4, database.Clock.GetUtcNow().UtcTicks), Gap());
        // One gap a consumer, which grows.
        database.Clock.Advance(TimeSpan.FromDays(14));
        RunCleaner();
        Assert.Equal((0, 2), Left());
        Assert.Equal(new Tombstones.DeletionGap("slow", 8, 14, 5, database.Clock.GetUtcNow().UtcTicks), Gap());

        Tombstones.DeletionGap Gap()
        {
            using var reader = database.Read();
            return reader.Gaps("").First(gap => gap.Consumer == "slow");
        }

        (long Tombstones, int Gaps) Left()
        {
            using var reader = database.Read();
            return (reader.TombstoneCount, reader.Gaps("").Count);
        }

        void RunCleaner()
        {
            for (int i = 0; i < 5; i++)
            {
                cleaner.RunStep();
                database.RunAll();
            }
        }
    }
}
