using System.Globalization;
using Jackdaw.Simulation;
using Jackdaw.Simulation.Following;
using Jackdaw.Simulation.Histories;
using Jackdaw.Simulation.Registry;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Indexing.Tests.Simulation;

/// <summary>An index that follows the documents over a simulated disk, and indexes that replace each other, by the hundred seeds.
/// SIM_INDEX_SEEDS and SIM_FROM set how many and which; docs/simulation.md says how to replay one.</summary>
public sealed class IndexSimulationTests(ITestOutputHelper output)
{
    /// <summary>What a run without SIM_INDEX_SEEDS does, and the least that counts as one: fewer are for trying something out.</summary>
    private const int FewestSeeds = 200;

    /// <summary>Those that the fast tests run.</summary>
    private const int FastSeeds = 15;

    private const int Threads = 2;

    [Fact]
    public void An_index_survives_a_few_simulated_crashes() => Run(FastSeeds, seed => new IndexHistory(seed));

    [Fact]
    public void Swaps_survive_a_few_simulated_crashes() => Run(FastSeeds, seed => new RegistryHistory(seed));

    [Fact]
    [Trait("Category", "Simulation")]
    public void After_every_crash_an_index_opens_is_no_fresher_than_it_is_and_comes_to_what_a_fresh_build_holds()
    {
        var (seeds, happened) = RunMany(seed => new IndexHistory(seed));

        // A simulation in which nothing happens finds nothing.
        if (seeds >= FewestSeeds)
            RequireThatMuchHappened(happened, happened.ReadersVerified, happened.RollBacks);
    }

    [Fact]
    [Trait("Category", "Simulation")]
    public void After_every_crash_the_registry_names_each_index_that_lives_and_its_folder_holds_what_it_held()
    {
        var (seeds, happened) = RunMany(seed => new RegistryHistory(seed));

        if (seeds >= FewestSeeds)
            RequireThatMuchHappened(happened, happened.ReadersVerified, happened.Swaps);
    }

    [Fact]
    [Trait("Category", "Simulation")]
    public void A_seed_alone_determines_everything_that_happens_to_an_index()
    {
        for (var seed = 0UL; seed < 10; seed++)
        {
            RequireRepeatable(seed, () => new IndexHistory(seed));
            RequireRepeatable(seed, () => new RegistryHistory(seed));
        }
    }

    private static void RequireRepeatable(ulong seed, Func<SeededHistory> make)
    {
        using var first = make();
        using var second = make();
        var hash = first.Run().Hash;
        Assert.True(hash == second.Run().Hash, $"Seed {seed} of {first.GetType().Name} gives another history the second time.");
    }

    private static void RequireThatMuchHappened(HistoryCounts happened, params long[] counts) =>
        Assert.All(
            [
                happened.PowerCuts,
                happened.CutsWhileOpening,
                happened.Kills,
                happened.CleanEnds,
                happened.Poisonings,
                happened.Replayed,
                happened.IndexesCompared,
                .. counts,
            ],
            count => Assert.True(count > 5, happened.ToString())
        );

    private (int Seeds, HistoryCounts Happened) RunMany(Func<ulong, SeededHistory> make)
    {
        var seeds = FromEnvironment("SIM_INDEX_SEEDS", FewestSeeds);
        if (seeds < FewestSeeds)
            output.WriteLine($"WEAKENED: SIM_INDEX_SEEDS lowers the number of histories from {FewestSeeds} to {seeds}.");
        return (seeds, Run(seeds, make));
    }

    private HistoryCounts Run(int seeds, Func<ulong, SeededHistory> make)
    {
        var from = FromEnvironment("SIM_FROM", 0);
        var run = new SeedRun { History = make, MaxFailures = 5 };
        run.Run((ulong)from, seeds, Threads);
        output.WriteLine($"{seeds} seeds from {from}: {run.Counts}");
        Assert.True(run.Failures.Count == 0, string.Join("\n\n", run.Failures));
        return run.Counts;
    }

    private static int FromEnvironment(string name, int otherwise) =>
        Environment.GetEnvironmentVariable(name) is { Length: > 0 } text ? int.Parse(text, CultureInfo.InvariantCulture) : otherwise;
}
