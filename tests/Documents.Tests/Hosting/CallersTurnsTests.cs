using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Hosting;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Xunit;

namespace Jackdaw.Documents.Tests.Hosting;

/// <summary>Turns of the merger on the threads of callers: one write at a time needs no other thread, and nobody pays for that.</summary>
public sealed class CallersTurnsTests
{
    private readonly ManualClock _clock = new();

    [Fact]
    public async Task A_write_that_is_alone_is_durable_when_its_submission_returns()
    {
        using var threads = new StepThreads(mostCallers: 1);
        await using var database = Hosted(threads, "db");
        for (int i = 0; threads.Callers.Run < 20; i++)
        {
            long before = threads.Callers.Run;
            var written = database.Host.Merger.Submit(TestDatabase.Put($"docs/{i}", "{}"));
            if (threads.Callers.Run > before)
            {
                Assert.True(written.IsCompletedSuccessfully);
                Assert.True(database.Has($"docs/{i}"));
            }
            await written;
        }
    }

    [Fact]
    public async Task What_comes_during_a_turn_of_a_caller_is_executed_after_it()
    {
        using var threads = new StepThreads(mostCallers: 1);
        await using var database = Hosted(threads, "db");
        using var held = new HeldCaller(database);
        await held.HasBegunAsync();
        var others = Enumerable.Range(0, 5).Select(i => database.PutAsync($"others/{i}")).ToArray();
        Assert.All(others, other => Assert.False(other.IsCompleted));
        held.GoOn();
        await Task.WhenAll(others);
        await held.Task;
        Assert.Null(database.Host.Storage.Poison);
        Assert.True(database.Has("others/4"));
    }

    [Fact]
    public async Task A_disk_that_hangs_under_a_caller_takes_the_turns_of_callers_and_holds_up_no_other_database()
    {
        using var threads = new StepThreads(mostCallers: 1);
        await using var hanging = Hosted(threads, "hanging");
        await using var other = Hosted(threads, "other");
        using var held = new HeldCaller(hanging);
        await held.HasBegunAsync();
        long before = threads.Callers.Run;
        for (int i = 0; i < 50; i++)
            await other.PutAsync($"docs/{i}");
        Assert.Equal(before, threads.Callers.Run);
        held.GoOn();
        await held.Task;
    }

    [Fact]
    public async Task A_database_that_closes_during_a_turn_of_a_caller_ends_that_write_first()
    {
        using var threads = new StepThreads(mostCallers: 1);
        var database = Hosted(threads, "db");
        using var held = new HeldCaller(database);
        await held.HasBegunAsync();
        var closing = database.CloseAsync();
        Assert.False(closing.IsCompleted);
        held.GoOn();
        await held.Task;
        await closing;
    }

    [Fact]
    public async Task A_journal_write_that_fails_under_a_caller_leaves_the_outcome_unknown_and_poisons()
    {
        using var threads = new StepThreads(mostCallers: 1);
        await using var database = Hosted(threads, "db");
        using var held = new HeldCaller(database);
        await held.HasBegunAsync();
        database.Disk.JournalFails = true;
        var behind = database.PutAsync("behind");
        held.GoOn();
        await Assert.ThrowsAsync<CommitOutcomeUnknownException>(() => held.Task);
        await Assert.ThrowsAsync<EnvironmentPoisonedException>(() => behind);
        await Assert.ThrowsAsync<EnvironmentPoisonedException>(() => database.PutAsync("late"));
    }

    [Fact]
    public async Task A_slow_disk_is_waited_for_on_the_mergers_threads_only()
    {
        using var threads = new StepThreads(mostCallers: 1);
        await using var database = Hosted(threads, "db");
        database.Disk.BeforeWrite = mode =>
        {
            if (mode == DiskFileMode.Direct)
                _clock.Advance(TimeSpan.FromMilliseconds(3));
        };
        for (int i = 0; i < 50; i++)
            await database.PutAsync($"docs/{i}");
        Assert.Equal(0, threads.Callers.Run);
    }

    [Fact]
    public async Task What_may_take_long_is_never_executed_by_its_caller()
    {
        using var threads = new StepThreads(mostCallers: 1);
        await using var database = Hosted(threads, "db");
        await PutUntilACallerRanATurnAsync(database, threads);
        long before = threads.Callers.Run;
        foreach (
            var operation in new MergedOperation[]
            {
                new ScriptedOperation(_ => { }),
                TestDatabase.Put("large", $$"""{"text":"{{new string('x', 70_000)}}"}"""),
                TestDatabase.Delete("docs/", prefix: true),
                Background(TestDatabase.Put("load", "{}")),
                Many(17),
            }
        )
        {
            Assert.False(operation.IsShort && !operation.IsBackground);
            await database.SubmitAsync(operation);
        }
        Assert.Equal(before, threads.Callers.Run);
    }

    private HostedDatabase Hosted(StepThreads threads, string name) => new(threads, name, clock: _clock);

    private static async Task PutUntilACallerRanATurnAsync(HostedDatabase database, StepThreads threads)
    {
        for (int i = 0; threads.Callers.Run == 0; i++)
            await database.PutAsync($"docs/{i}");
    }

    private static BatchOperation Background(BatchOperation batch)
    {
        batch.IsBackground = true;
        return batch;
    }

    private static BatchOperation Many(int count)
    {
        var batch = BatchOperation.Rent();
        for (int i = 0; i < count; i++)
            TestDatabase.AddPut(batch, $"many/{i}", "{}");
        return batch;
    }
}
