using System.Globalization;
using Jackdaw.Simulation;
using Jackdaw.Simulation.Histories;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Storage.Tests.Simulation;

/// <summary>Histories by the thousand. SIM_SEEDS and SIM_FROM set how many and which; docs/simulation.md says how to replay one.</summary>
[Trait("Category", "Simulation")]
public sealed class SimulationTests(ITestOutputHelper output)
{
    /// <summary>What a run without SIM_SEEDS does, and the least that counts as one: fewer are for trying something out.</summary>
    private const int FewestSeeds = 2000;

    private const int Threads = 2;

    [Fact]
    public void After_every_crash_all_that_was_acknowledged_is_there_and_a_prefix_of_the_rest()
    {
        var seeds = FromEnvironment("SIM_SEEDS", FewestSeeds);
        var from = FromEnvironment("SIM_FROM", 0);
        if (seeds < FewestSeeds)
            output.WriteLine($"WEAKENED: SIM_SEEDS lowers the number of histories from {FewestSeeds} to {seeds}.");
        var run = new SeedRun { MaxFailures = 5 };

        run.Run((ulong)from, seeds, Threads);

        output.WriteLine($"{seeds} seeds from {from}: {run.Counts}");
        Assert.True(run.Failures.Count == 0, string.Join("\n\n", run.Failures));
        // A simulation in which nothing happens finds nothing.
        var happened = run.Counts;
        if (seeds >= 500)
        {
            Assert.All(
                [
                    happened.PowerCuts,
                    happened.CutsWhileOpening,
                    happened.Poisonings,
                    happened.Replayed,
                    happened.LostTails,
                    happened.HeadersDestroyed,
                    happened.JournalFlips,
                    happened.DataFlips,
                    happened.Reported,
                    happened.Copies,
                    happened.CopiesRefused,
                    happened.LossesAccepted,
                    happened.Punches,
                    happened.Refusals,
                    happened.Aborts,
                ],
                count => Assert.True(count > 5, happened.ToString())
            );
        }
    }

    [Fact]
    public void A_seed_alone_determines_everything_that_happens()
    {
        for (var seed = 0UL; seed < 50; seed++)
        {
            using var first = new SimulatedHistory(seed);
            using var second = new SimulatedHistory(seed);
            var hash = first.Run().Hash;
            Assert.True(hash == second.Run().Hash, $"Seed {seed} gives another history the second time.");
        }
    }

    private static int FromEnvironment(string name, int otherwise) =>
        Environment.GetEnvironmentVariable(name) is { Length: > 0 } text ? int.Parse(text, CultureInfo.InvariantCulture) : otherwise;
}
