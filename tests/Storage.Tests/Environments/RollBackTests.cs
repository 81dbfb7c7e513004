using Jackdaw.Storage.Checking;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Tests.Journal;
using Xunit;

namespace Jackdaw.Storage.Tests.Environments;

/// <summary>A lazily durable environment whose disk refuses a journal write.</summary>
public sealed class RollBackTests : IDisposable
{
    private readonly FaultyDisk _disk = new();
    private readonly LazyScene _scene;

    public RollBackTests()
    {
        _scene = new LazyScene(_disk);
        _scene.Put("durable");
        _scene.WriteJournal();
    }

    private StorageEnvironment Environment => _scene.Environment;

    public void Dispose()
    {
        _scene.Dispose();
        _disk.Dispose();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_write_that_fails_takes_the_environment_back_to_its_last_durable_state_and_it_goes_on(bool isFull)
    {
        var commit = _scene.Put("a", 400_000);
        Assert.True(_scene.Has("a"));
        FailWrite(isFull);

        Assert.Equal((true, false), (_scene.Has("durable"), _scene.Has("a")));
        Assert.Equal((2, null), (Environment.Generation, Environment.Poison));
        Assert.Equal(
            (commit.TransactionId - 1, commit.TransactionId - 1),
            (Environment.VisibleTransactionId, Environment.DurableTransactionId)
        );
        var told = Environment.LastRollBack!;
        Assert.Equal((2, commit.TransactionId, commit.TransactionId - 1), (told.Generation, told.From, told.To));
        Assert.Equal(isFull, told.Cause is DiskFullException);
        Assert.Equal((false, true), (commit.IsDurable, commit.HasFailed));
        Assert.Equal(Timeout.InfiniteTimeSpan, Environment.NextJournalStep());

        var next = _scene.Put("b");
        Assert.Equal(commit.TransactionId, next.TransactionId);
        _scene.WriteJournal();
        Assert.True(next.IsDurable);
        Check();
        _scene.Reopen();
        Assert.Equal((true, false, true), (_scene.Has("durable"), _scene.Has("a"), _scene.Has("b")));
        Check();
    }

    [Fact]
    public void An_open_reader_goes_on_with_what_it_sees_and_a_new_one_sees_the_durable_state()
    {
        using var before = Environment.BeginRead("before");
        _scene.Put("a");
        using var open = Environment.BeginRead("rolled back");
        _scene.Put("b");
        FailWrite();

        Assert.Equal((false, true), (before.IsRolledBack, open.IsRolledBack));
        for (var i = 0; i < 200; i++)
        {
            _scene.Put($"{i}", 2_000);
            _scene.WriteJournal();
            while (Environment.RunFlushStep(force: true)) { }
        }
        Assert.Equal((true, true, false), (LazyScene.Has(open, "durable"), LazyScene.Has(open, "a"), LazyScene.Has(open, "b")));
        Assert.Equal((true, false), (LazyScene.Has(before, "durable"), LazyScene.Has(before, "a")));
        open.Dispose();
        open.Renew("renewed");
        Assert.False(open.IsRolledBack);
        Assert.Equal((true, false, true), (LazyScene.Has(open, "durable"), LazyScene.Has(open, "a"), LazyScene.Has(open, "199")));
    }

    [Fact]
    public void What_was_rolled_back_is_given_back_with_its_last_reader()
    {
        Environment.FlushAndSync();
        using (Environment.BeginWrite()) { }
        Assert.Equal(0, Environment.GetStatistics().ScratchUsedBytes);
        _scene.Put("a", 50_000);
        var open = Environment.BeginRead("rolled back");
        _scene.Put("a", 60_000);
        FailWrite();
        Assert.InRange(Environment.GetStatistics().ScratchUsedBytes, 50_000, 100_000);
        open.Dispose();
        using (Environment.BeginWrite()) { }
        Assert.Equal(0, Environment.GetStatistics().ScratchUsedBytes);
    }

    [Fact]
    public void The_writer_that_is_open_meanwhile_cannot_commit_and_the_next_one_begins_on_the_durable_state()
    {
        _scene.Put("a");
        using (var writer = Environment.BeginWrite())
        {
            writer.Catalog.OpenTree("tree").Put("b"u8, "b"u8);
            FailWrite();
            Assert.Equal(1, writer.Generation);
            Assert.True(LazyScene.Has(writer, "a"));
            Assert.False(_scene.Has("a"));
            writer.Catalog.OpenTree("tree").Put("c"u8, "c"u8);
            var refusal = Assert.Throws<RolledBackException>(() => writer.Commit());
            Assert.Equal(Environment.DurableTransactionId, refusal.TransactionId);
        }
        using (var writer = Environment.BeginWrite())
        {
            Assert.Equal(2, writer.Generation);
            Assert.Equal((false, false), (LazyScene.Has(writer, "a"), LazyScene.Has(writer, "b")));
        }
        Check();
    }

    [Fact]
    public async Task Each_wait_for_durability_fails_with_an_exception_of_its_own()
    {
        _scene.Put("a");
        var waits = new[] { Environment.MakeDurableAsync(), Environment.MakeDurableAsync() };
        FailWrite();
        var first = await Assert.ThrowsAsync<RolledBackException>(() => waits[0]);
        var second = await Assert.ThrowsAsync<RolledBackException>(() => waits[1]);
        Assert.NotSame(first, second);
        Assert.True(Environment.MakeDurableAsync().IsCompletedSuccessfully);
    }

    [Fact]
    public void A_wait_that_begins_after_a_roll_back_completes_and_only_the_generation_tells_what_was_taken_back()
    {
        var commit = _scene.Put("a");
        FailWrite();
        Assert.True(Environment.MakeDurableAsync().IsCompletedSuccessfully);
        Assert.Equal((false, 2), (commit.IsDurable, Environment.Generation));
    }

    [Fact]
    public void A_write_that_fails_in_the_middle_leaves_nothing_of_itself()
    {
        for (var steps = 1; steps < 8; steps++)
        {
            using var disk = new FaultyDisk();
            using var scene = new LazyScene(disk, options => options with { LazyRecordBytes = 64 << 10 });
            scene.Put("durable");
            scene.WriteJournal();
            scene.Put("a", 700_000);
            for (var i = 0; i < steps; i++)
                Assert.True(scene.Environment.RunJournalStep(force: true));
            disk.WritesFail = true;
            Assert.True(scene.Environment.RunJournalStep(force: true));
            disk.WritesFail = false;
            // The disk refused the file too that leads past what was written; the next write makes it.
            Assert.True(scene.Environment.LastRollBack!.MayReturn);
            scene.Put("b");
            scene.WriteJournal();
            scene.Reopen();
            Assert.Equal((true, false, true), (scene.Has("durable"), scene.Has("a"), scene.Has("b")));
        }
    }

    [Fact]
    public void A_disk_that_stays_full_is_met_again_with_every_write_and_harms_nothing()
    {
        for (var round = 1; round <= 5; round++)
        {
            _scene.Put($"{round}", 400_000);
            FailWrite(isFull: true);
            Assert.Equal(round + 1, Environment.Generation);
            Assert.Equal(round, Environment.GetStatistics().RollBacks);
        }
        _scene.Put("b", 400_000);
        _scene.WriteJournal();
        Check();
        _scene.Reopen();
        Assert.Equal((true, true, false), (_scene.Has("durable"), _scene.Has("b"), _scene.Has("5")));
    }

    /// <param name="isFull">The disk has no room, which only a write that needs another journal file meets; else it fails.</param>
    private void FailWrite(bool isFull = false)
    {
        var generation = Environment.Generation;
        if (isFull)
            _disk.Space = 0;
        else
            _disk.WritesFail = true;
        _scene.WriteJournal();
        Assert.Equal(generation + 1, Environment.Generation);
        (_disk.Space, _disk.WritesFail) = (long.MaxValue, false);
    }

    private void Check()
    {
        using var reader = Environment.BeginRead("check");
        Assert.Empty(EnvironmentCheck.Run(reader, reader.VerifyPage, []).Findings);
    }
}
