using Jackdaw.Simulation.Medium;
using Jackdaw.Storage.Checking;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Tests.Journal;
using Jackdaw.Storage.Transactions;
using Xunit;

namespace Jackdaw.Storage.Tests.Environments;

/// <summary>Commits that are seen at once, and journal writes that make many of them durable.</summary>
public sealed class LazyEnvironmentTests
{
    private static readonly byte[] s_largeValue = MakeLargeValue();

    [Fact]
    public void A_commit_is_seen_at_once_and_is_durable_with_the_next_journal_write()
    {
        using var scene = new LazyScene();
        var commit = scene.Put("a");
        Assert.True(scene.Has("a"));
        Assert.False(commit.IsDurable);
        Assert.Equal(commit.TransactionId, scene.Environment.VisibleTransactionId);
        Assert.Equal(commit.TransactionId - 1, scene.Environment.DurableTransactionId);
        Assert.Equal(1, scene.WriteJournal());
        Assert.True(commit.IsDurable);
        scene.Put("b");
        scene.Reopen();
        Assert.Equal((true, false), (scene.Has("a"), scene.Has("b")));
    }

    [Fact]
    public void The_journal_is_written_when_a_second_has_passed_since_the_first_commit_that_is_not_in_it()
    {
        using var scene = new LazyScene();
        Assert.Equal(Timeout.InfiniteTimeSpan, scene.Environment.NextJournalStep());
        scene.Put("a");
        Assert.Equal(TimeSpan.FromSeconds(1), scene.Environment.NextJournalStep());
        scene.Clock.Advance(TimeSpan.FromMilliseconds(600));
        scene.Put("b");
        Assert.Equal(TimeSpan.FromMilliseconds(400), scene.Environment.NextJournalStep());
        Assert.False(scene.Environment.RunJournalStep());
        // The host knows the time from the first commit; the second one needs no wake.
        Assert.Equal(1, scene.Wakes);
        scene.Clock.Advance(TimeSpan.FromMilliseconds(400));
        Assert.Equal(TimeSpan.Zero, scene.Environment.NextJournalStep());
        Assert.True(scene.Environment.RunJournalStep());
        Assert.False(scene.Environment.RunJournalStep());
        Assert.Equal(Timeout.InfiniteTimeSpan, scene.Environment.NextJournalStep());
        Assert.Equal(scene.Environment.VisibleTransactionId, scene.Environment.DurableTransactionId);
    }

    [Fact]
    public void The_journal_is_written_when_the_pages_that_are_not_in_it_pass_the_limit()
    {
        using var scene = new LazyScene(adapt: options => options with { LazyJournalThresholdBytes = 1 << 20 });
        var i = 0;
        for (; scene.Environment.GetStatistics().UnjournaledBytes < 1 << 20; i++)
        {
            Assert.NotEqual(TimeSpan.Zero, scene.Environment.NextJournalStep());
            scene.Put($"{i}", 7_000);
        }
        Assert.InRange(i, 60, 140);
        Assert.Equal(2, scene.Wakes);
        Assert.Equal(TimeSpan.Zero, scene.Environment.NextJournalStep());
        while (scene.Environment.RunJournalStep()) { }
        Assert.Equal(0, scene.Environment.GetStatistics().UnjournaledBytes);
    }

    [Fact]
    public void A_page_that_a_thousand_commits_rewrite_costs_one_slot_and_those_of_readers_and_one_record()
    {
        using var scene = new LazyScene();
        scene.Put("a");
        scene.WriteJournal();
        scene.Environment.FlushAndSync();
        using (scene.Environment.BeginWrite()) { }
        Assert.Equal(0, Used());
        scene.Put("a");
        var one = Used();
        Assert.InRange(one, PageLayout.PageSize, 4 * PageLayout.PageSize);
        for (var i = 0; i < 500; i++)
            scene.Put("a", 10 + i % 5);
        Assert.Equal(one, Used());

        using (var reader = scene.Environment.BeginRead("first"))
        using (var other = scene.Environment.BeginRead("the same"))
        {
            for (var i = 0; i < 500; i++)
                scene.Put("a", 10 + i % 5);
            Assert.Equal(2 * one, Used());
            using (scene.Environment.BeginRead("second"))
            {
                for (var i = 0; i < 50; i++)
                    scene.Put("a", 10 + i % 5);
                Assert.Equal(3 * one, Used());
            }
            scene.Put("a");
            Assert.Equal(2 * one, Used());
        }
        var records = scene.Environment.GetStatistics().JournalRecords;
        Assert.Equal(1, scene.WriteJournal());
        Assert.Equal(records + 1, scene.Environment.GetStatistics().JournalRecords);
        for (var i = 0; i < 500; i++)
            scene.Put("a", 10 + i % 5);
        // The journaled version and the newest.
        Assert.Equal(2 * one, Used());

        long Used() => scene.Environment.GetStatistics().ScratchUsedBytes;
    }

    [Fact]
    public void A_commit_asks_nothing_of_the_disk()
    {
        var disk = new FaultyDisk();
        using var scene = new LazyScene(disk);
        disk.Space = disk.Used;
        disk.WritesFail = true;
        for (var i = 0; i < 20; i++)
            scene.Put("a", 1_000 + i);
        Assert.True(scene.Has("a"));
        Assert.Equal((1, null), (scene.Environment.Generation, scene.Environment.Poison));
    }

    [Fact]
    public void A_batch_larger_than_a_journal_file_goes_in_several_records_into_ordinary_files()
    {
        using var scene = new LazyScene(adapt: options => options with { LazyRecordBytes = 64 << 10 });
        PutLarge(scene);
        Assert.InRange(scene.WriteJournal(), 50, 200);
        foreach (var name in scene.Disk.List("journal"))
        {
            using var file = scene.Disk.Open($"journal/{name}", DiskFileMode.Direct, create: false);
            Assert.Equal(scene.Options.JournalFileBytes, file.Length);
        }
        scene.Reopen();
        Assert.True(scene.Environment.Recovered.ReplayedTransactions > 0);
        VerifyLarge(scene);
    }

    /// <summary>Each record costs a wait for the device, and room for each page has to be reserved as if it were written whole.</summary>
    [Fact]
    public void Pages_of_which_a_few_bytes_changed_share_few_records()
    {
        const int Values = 800;
        using var scene = new LazyScene(adapt: options => options with { LazyRecordBytes = 64 << 10 });
        PutValues(mark: 1);
        scene.WriteJournal();
        PutValues(mark: 2);
        // 200 leaves: seven in the first record, whose room is reserved as before, and four times as many in each further one.
        Assert.InRange(scene.WriteJournal(), 2, 10);
        Assert.Equal(scene.Environment.VisibleTransactionId, scene.Environment.DurableTransactionId);
        scene.Reopen();
        using var reader = scene.Environment.BeginRead("test");
        var read = reader.Catalog.OpenTree("tree");
        Assert.InRange(read.State.LeafPages, 200, 400);
        for (var i = 0; i < Values; i++)
            Assert.True(read.TryGet(BitConverter.GetBytes(i), out var value) && value.Length == 2_000 && value[1_000] == 2);

        void PutValues(byte mark)
        {
            using var writer = scene.Environment.BeginWrite();
            var tree = writer.Catalog.OpenTree("tree");
            var value = new byte[2_000];
            value[1_000] = mark;
            for (var i = 0; i < Values; i++)
                tree.Put(BitConverter.GetBytes(i), value);
            writer.Commit();
        }
    }

    [Fact]
    public void An_environment_may_be_opened_with_either_durability_in_turn()
    {
        using var disk = new FaultyDisk();
        for (var round = 0; round < 6; round++)
        {
            using var scene = new LazyScene(
                disk,
                options => options with { Durability = round % 2 == 0 ? Durability.Lazy : Durability.EachCommit }
            );
            for (var earlier = 0; earlier < round; earlier++)
                Assert.True(scene.Has($"{earlier}"));
            scene.Put($"{round}", 300_000);
            Assert.Equal(round % 2 == 0, scene.Has($"{round}"));
            scene.WriteJournal();
            Assert.True(scene.Has($"{round}"));
            if (round % 3 == 0)
                scene.Environment.FlushAndSync();
            Check(scene.Environment);
        }
    }

    [Fact]
    public void A_batch_whose_last_record_is_missing_never_was()
    {
        for (var steps = 1; ; steps += 7)
        {
            using var scene = new LazyScene(adapt: options => options with { LazyRecordBytes = 64 << 10 });
            scene.Put("before");
            scene.WriteJournal();
            PutLarge(scene);
            for (var i = 0; i < steps; i++)
                scene.Environment.RunJournalStep(force: true);
            if (scene.Environment.DurableTransactionId == scene.Environment.VisibleTransactionId)
                return;
            scene.Reopen();
            Assert.Equal((true, false), (scene.Has("before"), scene.Has("large")));
            Check(scene.Environment);
            PutLarge(scene);
            scene.WriteJournal();
            scene.Reopen();
            VerifyLarge(scene);
        }
    }

    [Fact]
    public async Task Waiting_for_durability_ends_when_everything_before_it_is_durable()
    {
        using var scene = new LazyScene();
        Assert.True(scene.Environment.MakeDurableAsync().IsCompletedSuccessfully);
        scene.Put("a");
        var wakes = scene.Wakes;
        var first = scene.Environment.MakeDurableAsync();
        Assert.Equal(wakes + 1, scene.Wakes);
        Assert.Equal(TimeSpan.Zero, scene.Environment.NextJournalStep());
        scene.Put("b");
        var second = scene.Environment.MakeDurableAsync();
        Assert.False(first.IsCompleted || second.IsCompleted);
        Assert.True(scene.Environment.RunJournalStep());
        await first;
        await second;
        scene.Reopen();
        Assert.True(scene.Has("a") && scene.Has("b"));
    }

    [Fact]
    public async Task A_wait_is_not_ended_by_a_write_that_began_before_the_commit()
    {
        using var scene = new LazyScene(adapt: options => options with { LazyRecordBytes = 64 << 10 });
        PutLarge(scene);
        var early = scene.Environment.MakeDurableAsync();
        Assert.True(scene.Environment.RunJournalStep());
        scene.Put("late");
        var late = scene.Environment.MakeDurableAsync();
        while (!early.IsCompleted)
            Assert.True(scene.Environment.RunJournalStep());
        Assert.False(late.IsCompleted);
        Assert.True(scene.Environment.RunJournalStep());
        await late;
    }

    [Fact]
    public async Task A_wait_fails_when_the_environment_is_poisoned_or_closed()
    {
        using var scene = new LazyScene();
        scene.Put("a");
        var poisoned = scene.Environment.MakeDurableAsync();
        scene.Environment.PoisonBy(new InvariantViolationException("planted"));
        Assert.True(scene.Environment.RunJournalStep());
        await Assert.ThrowsAsync<EnvironmentPoisonedException>(() => poisoned);
        Assert.False(scene.Environment.RunJournalStep());

        using var closing = new LazyScene();
        closing.Put("a");
        var closed = closing.Environment.MakeDurableAsync();
        closing.Environment.Dispose();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => closed);
    }

    [Fact]
    public void A_clean_close_makes_everything_durable()
    {
        using var disk = new FaultyDisk();
        var scene = new LazyScene(disk);
        scene.Put("a");
        scene.Environment.CloseCleanly();
        using var reopened = StorageEnvironment.Open(disk, scene.Options);
        Assert.Equal(0, reopened.Recovered.ReplayedTransactions);
        using var reader = reopened.BeginRead("test");
        Assert.True(LazyScene.Has(reader, "a"));
    }

    [Fact]
    public void A_poisoned_environment_has_nothing_to_wait_for_although_commits_are_not_journaled()
    {
        using var scene = new LazyScene();
        scene.Put("a");
        var wait = scene.Environment.MakeDurableAsync();
        scene.Environment.PoisonBy(new InvariantViolationException("planted"));
        // The wait is still to be failed.
        Assert.Equal(TimeSpan.Zero, scene.Environment.NextJournalStep());
        Assert.True(scene.Environment.RunJournalStep());
        Assert.True(wait.IsFaulted);
        Assert.Equal(Timeout.InfiniteTimeSpan, scene.Environment.NextJournalStep());
        scene.Clock.Advance(TimeSpan.FromSeconds(2));
        Assert.False(scene.Environment.RunJournalStep());
        Assert.Equal(Timeout.InfiniteTimeSpan, scene.Environment.NextJournalStep());
    }

    /// <summary>The write that was under way is given up by a step that has nothing else to do.</summary>
    [Fact]
    public void An_environment_that_is_poisoned_in_the_middle_of_a_write_rests_after_one_step()
    {
        using var scene = new LazyScene(adapt: options => options with { LazyRecordBytes = 64 << 10 });
        PutLarge(scene);
        Assert.True(scene.Environment.RunJournalStep(force: true));
        scene.Environment.PoisonBy(new InvariantViolationException("planted"));
        Assert.Equal(TimeSpan.Zero, scene.Environment.NextJournalStep());
        Assert.False(scene.Environment.RunJournalStep());
        scene.Clock.Advance(TimeSpan.FromSeconds(2));
        Assert.Equal(Timeout.InfiniteTimeSpan, scene.Environment.NextJournalStep());
    }

    /// <summary>There is always a reader, and it nearly always sees a state that no record ends with.</summary>
    [Fact]
    public void Readers_that_follow_one_another_without_a_gap_do_not_hold_flushing_up()
    {
        using var scene = new LazyScene();
        var readers = new Queue<ReadTransaction>();
        for (var i = 0; i < 400; i++)
        {
            scene.Put($"{i % 50}", 3_000);
            readers.Enqueue(scene.Environment.BeginRead("overlapping"));
            if (readers.Count > 20)
                readers.Dequeue().Dispose();
            if (i % 10 == 9)
                scene.WriteJournal();
            while (scene.Environment.RunFlushStep(force: true)) { }
            scene.Environment.RunSpareStep();
        }
        var statistics = scene.Environment.GetStatistics();
        Assert.InRange(statistics.DurableTransaction - statistics.FlushedTransaction, 0, 40);
        while (readers.TryDequeue(out var reader))
            reader.Dispose();
        Check(scene.Environment);
    }

    [Fact]
    public void A_power_cut_in_any_operation_leaves_a_prefix_of_the_commits_and_everything_that_was_waited_for()
    {
        for (var operation = 1; ; operation++)
        {
            var options = LazyOptions(new SimulatedClock());
            using var disk = new SimulatedDisk(
                new SimulatedRandom((ulong)operation),
                512,
                (SimulatedClock)options.Time,
                new OperationTrace()
            );
            StorageEnvironment.Open(disk, options).CloseCleanly();
            disk.Restart(powerCut: false);
            var environment = StorageEnvironment.Open(disk, options);
            disk.CutPowerIn(operation);
            var (committed, durable, wasCut) = (0, 0, false);
            try
            {
                for (var round = 0; round < 3; round++)
                {
                    for (var i = 0; i < 4; i++)
                    {
                        Put(environment, committed, round == 1 && i == 2 ? 90_000 : 2_000);
                        committed++;
                    }
                    var wait = environment.MakeDurableAsync();
                    while (environment.RunJournalStep()) { }
                    Assert.True(wait.IsCompletedSuccessfully);
                    durable = committed;
                    Put(environment, committed++, 3_000);
                    environment.FlushAndSync();
                    while (environment.RunSpareStep()) { }
                }
            }
            catch (PowerCutException)
            {
                wasCut = true;
            }
            disk.Detach();
            environment.Dispose();
            disk.Restart(powerCut: wasCut);
            using var again = StorageEnvironment.Open(disk, options);
            using (var reader = again.BeginRead("test"))
            {
                var found = Enumerable.Range(0, committed).TakeWhile(i => LazyScene.Has(reader, $"{i}")).Count();
                Assert.InRange(found, durable, committed);
                Assert.DoesNotContain(Enumerable.Range(found, committed - found), i => LazyScene.Has(reader, $"{i}"));
            }
            Check(again);
            if (!wasCut)
            {
                Assert.True(operation > 60, $"only {operation} operations");
                return;
            }
        }

        static void Put(StorageEnvironment environment, int number, int bytes)
        {
            using var writer = environment.BeginWrite();
            writer.Catalog.OpenTree("tree").Put(System.Text.Encoding.UTF8.GetBytes($"{number}"), new byte[bytes]);
            writer.Commit();
        }
    }

    private static EnvironmentOptions LazyOptions(SimulatedClock clock) =>
        new()
        {
            Durability = Durability.Lazy,
            MaxDataFileBytes = 16 << 20,
            InitialDataFileBytes = 64 << 10,
            JournalFileBytes = 64 << 10,
            LazyRecordBytes = 20 << 10,
            RecoveryWritesAside = false,
            Time = clock,
            Random = new Random(1),
        };

    private static void Check(StorageEnvironment environment)
    {
        using var reader = environment.BeginRead("check");
        Assert.Empty(EnvironmentCheck.Run(reader, reader.VerifyPage, []).Findings);
    }

    /// <summary>One transaction with a value of more than a journal file, and many smaller ones.</summary>
    private static void PutLarge(LazyScene scene)
    {
        using var writer = scene.Environment.BeginWrite();
        var tree = writer.Catalog.OpenTree("tree");
        tree.Put("large"u8, s_largeValue);
        for (var i = 0; i < 1_000; i++)
            tree.Put(System.Text.Encoding.UTF8.GetBytes($"row {i}"), s_largeValue.AsSpan(i, 3_000));
        writer.Commit();
    }

    private static void VerifyLarge(LazyScene scene)
    {
        using (var reader = scene.Environment.BeginRead("test"))
        {
            var tree = reader.Catalog.OpenTree("tree");
            Assert.True(tree.TryGet("large"u8, out var large) && large.SequenceEqual(s_largeValue));
            for (var i = 0; i < 1_000; i++)
            {
                Assert.True(tree.TryGet(System.Text.Encoding.UTF8.GetBytes($"row {i}"), out var row));
                Assert.True(row.SequenceEqual(s_largeValue.AsSpan(i, 3_000)));
            }
        }
        Check(scene.Environment);
    }

    private static byte[] MakeLargeValue()
    {
        var value = new byte[900_000];
        new Random(7).NextBytes(value);
        return value;
    }
}
