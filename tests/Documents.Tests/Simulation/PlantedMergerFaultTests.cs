using Jackdaw.Documents.Merging;
using Jackdaw.Simulation;
using Jackdaw.Simulation.Merging;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Documents.Tests.Simulation;

/// <summary>The merger simulator's own test: twenty-eight mistakes that a merger can make, each of which it has to notice.</summary>
[Trait("Category", "Simulation")]
public sealed class PlantedMergerFaultTests(ITestOutputHelper output)
{
    private const int Seeds = 500;

    public static TheoryData<string> Faults =>
        [.. Enum.GetNames<PlantedMergerFault>().Where(name => name != nameof(PlantedMergerFault.None))];

    [Theory]
    [MemberData(nameof(Faults))]
    public void The_simulator_finds(string fault)
    {
        var planted = Enum.Parse<PlantedMergerFault>(fault);
        var run = new SeedRun { History = seed => new MergerHistory(seed, planted), MaxFailures = 1 };

        run.Run(0, Seeds, threads: 2);

        Assert.True(run.FailedSeeds.Count > 0, $"{fault} is not found in {Seeds} seeds.");
        output.WriteLine($"{fault}: found within {run.FailedSeeds.First() + 1} seeds.");
    }

    [Fact]
    public void There_are_twenty_eight_and_none() => Assert.Equal(29, Enum.GetValues<PlantedMergerFault>().Length);
}
