using Jackdaw.Simulation;
using Jackdaw.Simulation.Histories;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Storage.Tests.Simulation;

/// <summary>The simulator's own test: seventeen mistakes that a storage engine can make, each of which it has to notice.</summary>
[Trait("Category", "Simulation")]
public sealed class PlantedFaultTests(ITestOutputHelper output)
{
    private const int Seeds = 500;

    public static TheoryData<string> Faults => [.. Enum.GetNames<PlantedFault>().Where(name => name != nameof(PlantedFault.None))];

    [Theory]
    [MemberData(nameof(Faults))]
    public void The_simulator_finds(string fault)
    {
        var planted = Enum.Parse<PlantedFault>(fault);
        var run = new SeedRun { History = seed => new SimulatedHistory(seed, planted), MaxFailures = 1 };

        run.Run(0, Seeds, threads: 2);

        Assert.True(run.FailedSeeds.Count > 0, $"{fault} is not found in {Seeds} seeds.");
        output.WriteLine($"{fault}: found within {run.FailedSeeds.First() + 1} seeds.");
    }

    [Fact]
    public void There_are_seventeen_and_none() => Assert.Equal(18, Enum.GetValues<PlantedFault>().Length);
}
