using Jackdaw.Simulation;
using Jackdaw.Simulation.Following;
using Jackdaw.Simulation.Registry;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Indexing.Tests.Simulation;

/// <summary>The index simulator's own test: mistakes that an index can make, each of which it has to notice.</summary>
[Trait("Category", "Simulation")]
public sealed class PlantedIndexFaultTests(ITestOutputHelper output)
{
    private const int Seeds = 500;

    /// <summary>Mistakes of swaps, of folders, and of deletions that are older than an index.</summary>
    private static readonly PlantedIndexFault[] s_ofTheRegistry =
    [
        PlantedIndexFault.DeleteBeforeSwap,
        PlantedIndexFault.SwapBeforeDurable,
        PlantedIndexFault.KeepOrphans,
        PlantedIndexFault.MapDeletedEvents,
    ];

    public static TheoryData<string> Faults =>
        [.. Enum.GetNames<PlantedIndexFault>().Where(name => name != nameof(PlantedIndexFault.None))];

    [Theory]
    [MemberData(nameof(Faults))]
    public void The_simulator_finds(string fault)
    {
        var planted = Enum.Parse<PlantedIndexFault>(fault);
        var run = new SeedRun
        {
            History = seed => s_ofTheRegistry.Contains(planted) ? new RegistryHistory(seed, planted) : new IndexHistory(seed, planted),
            MaxFailures = 1,
        };

        run.Run(0, Seeds, threads: 2);

        Assert.True(run.FailedSeeds.Count > 0, $"{fault} is not found in {Seeds} seeds.");
        output.WriteLine($"{fault}: found within {run.FailedSeeds.First() + 1} seeds.");
    }
}
