using Jackdaw.Storage.Tests.Environments;
using Jackdaw.Storage.Tests.Journal;
using Xunit;

namespace Jackdaw.Storage.Tests.Regressions;

/// <summary>
/// Memory that was trimmed at the moment of a journal step made the step say that there was nothing to write: an orderly close lost what
/// was committed. The trims here follow one another without a gap.
/// </summary>
[Trait("Category", "Slow")]
public sealed class TrimBesideJournalTests
{
    private const int Rounds = 300;

    [Theory]
    [InlineData(Durability.Lazy)]
    [InlineData(Durability.EachCommit)]
    public void A_journal_step_that_has_work_does_it_while_memory_is_trimmed(Durability durability)
    {
        using var scene = new LazyScene(adapt: options => options with { Durability = durability });
        WhileTrimmed(
            scene.Environment,
            () =>
            {
                for (var i = 0; i < 20 * Rounds; i++)
                {
                    var commit = scene.Put("a");
                    Assert.True(scene.Environment.RunJournalStep(force: true), $"round {i}");
                    Assert.True(commit.IsDurable);
                    scene.Environment.RunFlushStep(force: true);
                    scene.Environment.RunSpareStep();
                }
            }
        );
    }

    [Fact]
    public void A_clean_close_makes_everything_durable_while_memory_is_trimmed()
    {
        using var disk = new FaultyDisk();
        for (var i = 0; i < Rounds; i++)
        {
            var scene = new LazyScene(disk);
            Assert.True(i == 0 || scene.Has($"{i - 1}"), $"round {i}");
            WhileTrimmed(
                scene.Environment,
                () =>
                {
                    scene.Put($"{i}");
                    scene.Environment.CloseCleanly();
                }
            );
        }
    }

    /// <summary>Whoever waits for the end of the last journal step would take the trim for one, and nothing wakes it afterwards.</summary>
    [Fact]
    public void A_trim_is_not_journal_work()
    {
        using var scene = new LazyScene();
        WhileTrimmed(
            scene.Environment,
            () =>
            {
                for (var i = 0; i < 1_000 * Rounds; i++)
                    Assert.False(scene.Environment.HasJournalWork, $"look {i}");
            }
        );
    }

    private static void WhileTrimmed(StorageEnvironment environment, Action work)
    {
        var memory = environment.KeptWorkMemory;
        var hasEnded = false;
        using var hasBegun = new ManualResetEventSlim();
        var trimmer = new Thread(() =>
        {
            while (!Volatile.Read(ref hasEnded))
            {
                memory.Trim();
                hasBegun.Set();
            }
        });
        trimmer.Start();
        try
        {
            hasBegun.Wait();
            work();
        }
        finally
        {
            Volatile.Write(ref hasEnded, true);
            trimmer.Join();
        }
    }
}
