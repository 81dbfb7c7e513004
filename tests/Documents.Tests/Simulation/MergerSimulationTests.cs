using System.Globalization;
using Jackdaw.Simulation;
using Jackdaw.Simulation.Merging;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Documents.Tests.Simulation;

/// <summary>The merger over a simulated disk, by the hundred seeds. SIM_MERGER_SEEDS and SIM_FROM set how many and which;
/// docs/simulation.md says how to replay one.</summary>
[Trait("Category", "Simulation")]
public sealed class MergerSimulationTests(ITestOutputHelper output)
{
    /// <summary>What a run without SIM_MERGER_SEEDS does, and the least that counts as one: fewer are for trying something out.</summary>
    private const int FewestSeeds = 400;

    private const int Threads = 2;

    [Fact]
    public void Every_operation_is_answered_once_and_what_was_answered_survives_every_crash()
    {
        var seeds = FromEnvironment("SIM_MERGER_SEEDS", FewestSeeds);
        var from = FromEnvironment("SIM_FROM", 0);
        if (seeds < FewestSeeds)
            output.WriteLine($"WEAKENED: SIM_MERGER_SEEDS lowers the number of histories from {FewestSeeds} to {seeds}.");
        var run = new SeedRun { History = seed => new MergerHistory(seed), MaxFailures = 5 };

        run.Run((ulong)from, seeds, Threads);

        output.WriteLine($"{seeds} seeds from {from}: {run.Counts}");
        Assert.True(run.Failures.Count == 0, string.Join("\n\n", run.Failures));
        // A simulation in which nothing happens finds nothing.
        var happened = run.Counts;
        if (seeds >= FewestSeeds)
        {
            Assert.All(
                [
                    happened.PowerCuts,
                    happened.CutsWhileOpening,
                    happened.Kills,
                    happened.CleanEnds,
                    happened.Poisonings,
                    happened.Replayed,
                    happened.LostTails,
                    happened.Acknowledged,
                    happened.Declined,
                    happened.WithoutRoom,
                    happened.TooLarge,
                    happened.OutcomesUnknown,
                    happened.TurnedAway,
                    happened.Damaged,
                    happened.DamagePoisonings,
                    happened.Reexecutions,
                    happened.ScratchWaits,
                    happened.ReadersVerified,
                    happened.Due,
                ],
                count => Assert.True(count > 5, happened.ToString())
            );
        }
    }

    [Fact]
    public void A_seed_alone_determines_everything_that_happens_to_a_database()
    {
        for (var seed = 0UL; seed < 20; seed++)
        {
            using var first = new MergerHistory(seed);
            using var second = new MergerHistory(seed);
            var hash = first.Run().Hash;
            Assert.True(hash == second.Run().Hash, $"Seed {seed} gives another history the second time.");
        }
    }

    [Fact]
    public void The_context_that_a_history_is_run_in_changes_nothing_of_it()
    {
        var context = SynchronizationContext.Current;
        try
        {
            for (var seed = 0UL; seed < 20; seed++)
            {
                using var first = new MergerHistory(seed);
                using var second = new MergerHistory(seed);
                SynchronizationContext.SetSynchronizationContext(null);
                var hash = first.Run().Hash;
                // Of a type of its own, as a test runner's is: the runtime then hands what follows on a task to other threads.
                SynchronizationContext.SetSynchronizationContext(new RunnersContext());
                Assert.True(hash == second.Run().Hash, $"Seed {seed} gives another history in a test runner's context.");
            }
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(context);
        }
    }

    private sealed class RunnersContext : SynchronizationContext;

    private static int FromEnvironment(string name, int otherwise) =>
        Environment.GetEnvironmentVariable(name) is { Length: > 0 } text ? int.Parse(text, CultureInfo.InvariantCulture) : otherwise;
}
