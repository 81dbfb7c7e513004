using System.Globalization;
using System.Text;
using Jackdaw.Simulation.Medium;
using Jackdaw.Storage.Headers;
using Xunit;

namespace Jackdaw.Storage.Tests.Regressions;

/// <summary>
/// The newest header could not be read once (EIO), so recovery began at the older one, and, short of memory, had already written
/// pages back to
/// an intermediate version when it was cut off. The next opening read the newest header without trouble and replayed only from
/// there: the pages
/// written back stayed as they were. Recovery now replaces a header that it cannot use before it writes anything else.
/// </summary>
public sealed class UnreadableHeaderTests
{
    private const int Keys = 600;
    private const int Rounds = 12;
    private static readonly EnvironmentOptions Options = SimulatedMachine.Options with { RecoveryMemoryBytes = 16 * 8192 };

    [Fact]
    public void A_header_that_was_unreadable_once_does_not_mislead_the_recovery_after_the_next()
    {
        for (var operation = 5; operation < 120; operation += 5)
            RecoverTwice(operation);
    }

    private static void RecoverTwice(int operation)
    {
        using var disk = SimulatedMachine.NewDisk((ulong)operation);
        var environment = StorageEnvironment.Open(disk, Options with { Random = new SimulatedRandom(1) });
        for (var round = 0; round < Rounds; round++)
        {
            Write(environment, round);
            // The last sync comes after every change: from the newest header on nothing is to be replayed.
            if (round is 1 or Rounds - 1)
                environment.FlushAndSync();
        }
        SimulatedMachine.Kill(disk, environment, powerCut: false);

        var newest = NewestHeader(disk);
        var content = disk.Content(newest).ToArray();
        disk.Damage(newest, 0, bytes => bytes[..EnvironmentHeader.Size].Clear());
        var damaged = disk.Content(newest).ToArray();
        disk.CutPowerIn(operation);
        environment = null;
        try
        {
            environment = StorageEnvironment.Open(disk, Options with { Random = new SimulatedRandom(2) });
        }
        catch (PowerCutException)
        {
            // As intended.
        }
        SimulatedMachine.Kill(disk, environment, powerCut: false);
        if (disk.Content(newest).SequenceEqual(damaged))
            disk.Damage(newest, 0, bytes => content.CopyTo(bytes));

        environment = StorageEnvironment.Open(disk, Options with { Random = new SimulatedRandom(3) });
        AssertHolds(environment, Rounds - 1, $"cut in operation {operation}");
        SimulatedMachine.Kill(disk, environment, powerCut: false);
    }

    private static string NewestHeader(SimulatedDisk disk)
    {
        var a = EnvironmentHeader.Read(disk.Content("header.a"), "header.a")!;
        var b = EnvironmentHeader.Read(disk.Content("header.b"), "header.b")!;
        return a.Generation > b.Generation ? "header.a" : "header.b";
    }

    /// <summary>Small changes in many pages.</summary>
    private static void Write(StorageEnvironment environment, int round)
    {
        using var writer = environment.BeginWrite();
        var tree = writer.Catalog.OpenTree("tree");
        for (var key = 0; key < Keys; key++)
            tree.Put(KeyOf(key), ValueOf(key, round));
        writer.Commit();
        while (environment.RunJournalStep()) { }
    }

    private static void AssertHolds(StorageEnvironment environment, int round, string when)
    {
        using var reader = environment.BeginRead("test");
        Assert.True(reader.Catalog.TryOpenTree("tree", out var tree));
        for (var key = 0; key < Keys; key++)
            Assert.True(tree!.TryGet(KeyOf(key), out var value) && value.SequenceEqual(ValueOf(key, round)), $"key {key}, {when}");
    }

    private static byte[] KeyOf(int key) => Encoding.UTF8.GetBytes(key.ToString("d5", CultureInfo.InvariantCulture));

    /// <summary>500 bytes of which four change.</summary>
    private static byte[] ValueOf(int key, int round)
    {
        var value = new byte[500];
        BitConverter.TryWriteBytes(value.AsSpan(key % 400), round + 1);
        return value;
    }
}
