using Jackdaw.Simulation.Medium;
using Xunit;

namespace Jackdaw.Storage.Tests.Regressions;

/// <summary>
/// Creation renames the first header into place and then syncs the folder. A process that died between the two left a name that the next
/// process saw, took for an environment, and acknowledged writes on; the name itself was never made durable any more. A power cut
/// took it back, the folder
/// then held no header, "so there had never been an environment", and opening cleared the remains away: everything acknowledged was gone.
/// Recovery now syncs the folder before it relies on what it sees in it, and again when it has made the other header.
/// </summary>
public sealed class UndurableNamesTests
{
    [Fact]
    public void A_process_that_dies_anywhere_in_creation_endangers_nothing_that_is_acknowledged_later()
    {
        for (var seed = 0UL; seed < 4; seed++)
        {
            for (var operation = 1; operation < 80; operation++)
                DieInCreationAndGoOn(seed, operation);
        }
    }

    private static void DieInCreationAndGoOn(ulong seed, int operation)
    {
        using var disk = SimulatedMachine.NewDisk(seed);
        disk.CutPowerIn(operation);
        StorageEnvironment? environment = null;
        try
        {
            environment = SimulatedMachine.Open(disk, seed);
        }
        catch (PowerCutException)
        {
            // Only the process ended: the page cache, names included, is still there.
        }
        SimulatedMachine.Kill(disk, environment, powerCut: false);

        environment = SimulatedMachine.Open(disk, seed + 1);
        SimulatedMachine.Put(environment, "acknowledged");
        SimulatedMachine.Kill(disk, environment, powerCut: true);

        environment = SimulatedMachine.Open(disk, seed + 2);
        Assert.True(SimulatedMachine.Has(environment, "acknowledged"), $"seed {seed}, death in operation {operation}");
        SimulatedMachine.Kill(disk, environment, powerCut: false);
    }
}
