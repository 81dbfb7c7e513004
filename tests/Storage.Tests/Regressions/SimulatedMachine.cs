using System.Text;
using Jackdaw.Simulation.Medium;
using Jackdaw.Storage.Disk;
using Xunit;

namespace Jackdaw.Storage.Tests.Regressions;

/// <summary>An environment on a simulated disk with a tree in it: what the stories of these tests happen to.</summary>
internal static class SimulatedMachine
{
    public static readonly EnvironmentOptions Options = new()
    {
        MaxDataFileBytes = 16 << 20,
        InitialDataFileBytes = 64 << 10,
        JournalFileBytes = 64 << 10,
        RecoveryWritesAside = false,
    };

    public static SimulatedDisk NewDisk(ulong seed) => new(new SimulatedRandom(seed), 512, new SimulatedClock(), new OperationTrace());

    /// <summary>Opens; <paramref name="seed"/> makes ids and salts repeatable.</summary>
    public static StorageEnvironment Open(IDisk disk, ulong seed) =>
        StorageEnvironment.Open(disk, Options with { Random = new SimulatedRandom(seed) });

    /// <summary>Puts a value and returns when it is durable.</summary>
    public static void Put(StorageEnvironment environment, string key, int valueBytes = 10) => Put(environment, key, new byte[valueBytes]);

    public static void Put(StorageEnvironment environment, string key, byte[] value)
    {
        using var writer = environment.BeginWrite();
        writer.Catalog.OpenTree("tree").Put(Encoding.UTF8.GetBytes(key), value);
        var commit = writer.Commit();
        while (environment.RunJournalStep()) { }
        Assert.True(commit.IsDurable);
    }

    public static bool Has(StorageEnvironment environment, string key)
    {
        using var reader = environment.BeginRead("test");
        return reader.Catalog.TryOpenTree("tree", out var tree) && tree.Contains(Encoding.UTF8.GetBytes(key));
    }

    /// <summary>The process is gone; the disk is as it left it.</summary>
    public static void Kill(SimulatedDisk disk, StorageEnvironment? environment, bool powerCut)
    {
        disk.Detach();
        environment?.Dispose();
        disk.Restart(powerCut);
    }
}
