using System.Globalization;
using Jackdaw.Simulation;
using Jackdaw.Simulation.Lazy;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Storage.Tests.Simulation;

/// <summary>Histories of lazily durable environments. SIM_LAZY_SEEDS and SIM_FROM set how many and which; docs/simulation.md says how to
/// replay one.</summary>
[Trait("Category", "Simulation")]
public sealed class LazySimulationTests(ITestOutputHelper output)
{
    /// <summary>What a run without SIM_LAZY_SEEDS does, and the least that counts as one: fewer are for trying something out.</summary>
    private const int FewestSeeds = 1000;

    private const int SeedsOfPlantedFault = 500;

    private const int Threads = 2;

    public static TheoryData<string> Faults => [.. Enum.GetNames<PlantedLazyFault>().Where(name => name != nameof(PlantedLazyFault.None))];

    [Fact]
    public void After_every_crash_and_every_roll_back_a_prefix_of_the_commits_is_there()
    {
        var seeds = FromEnvironment("SIM_LAZY_SEEDS", FewestSeeds);
        var from = FromEnvironment("SIM_FROM", 0);
        if (seeds < FewestSeeds)
            output.WriteLine($"WEAKENED: SIM_LAZY_SEEDS lowers the number of histories from {FewestSeeds} to {seeds}.");
        var run = new SeedRun { MaxFailures = 5, History = seed => new LazyHistory(seed) };

        run.Run((ulong)from, seeds, Threads);

        output.WriteLine($"{seeds} seeds from {from}: {run.Counts}");
        Assert.True(run.Failures.Count == 0, string.Join("\n\n", run.Failures));
        // A simulation in which nothing happens finds nothing.
        var happened = run.Counts;
        if (seeds >= 200)
        {
            Assert.All(
                [
                    happened.PowerCuts,
                    happened.CutsWhileOpening,
                    happened.Poisonings,
                    happened.Replayed,
                    happened.LostTails,
                    happened.Refusals,
                    happened.Aborts,
                    happened.CleanEnds,
                    happened.RollBacks,
                    happened.RollBacksThatMayReturn,
                    happened.WaitsForDurability,
                ],
                count => Assert.True(count > 5, happened.ToString())
            );
        }
    }

    [Fact]
    public void A_seed_alone_determines_everything_that_happens()
    {
        for (var seed = 0UL; seed < 30; seed++)
        {
            using var first = new LazyHistory(seed);
            using var second = new LazyHistory(seed);
            var hash = first.Run().Hash;
            Assert.True(hash == second.Run().Hash, $"Seed {seed} gives another history the second time.");
        }
    }

    [Theory]
    [MemberData(nameof(Faults))]
    public void The_simulator_finds(string fault)
    {
        var planted = Enum.Parse<PlantedLazyFault>(fault);
        var run = new SeedRun { History = seed => new LazyHistory(seed, planted), MaxFailures = 1 };

        run.Run(0, SeedsOfPlantedFault, Threads);

        Assert.True(run.FailedSeeds.Count > 0, $"{fault} is not found in {SeedsOfPlantedFault} seeds.");
        output.WriteLine($"{fault}: found within {run.FailedSeeds.First() + 1} seeds.");
    }

    private static int FromEnvironment(string name, int otherwise) =>
        Environment.GetEnvironmentVariable(name) is { Length: > 0 } text ? int.Parse(text, CultureInfo.InvariantCulture) : otherwise;
}
