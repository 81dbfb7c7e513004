using System.Text;
using Jackdaw.Search.Checking;
using Jackdaw.Search.Entries;
using Jackdaw.Simulation.Medium;
using Jackdaw.Storage;
using Xunit;

namespace Jackdaw.Search.Tests.Entries;

/// <summary>The disk refuses a journal write, and the environment of an open index goes back to its last durable state.</summary>
public sealed class RollBackTests
{
    [Fact]
    public void Batches_and_new_fields_that_were_rolled_back_are_gone_and_can_be_applied_again()
    {
        using var disk = new SimulatedDisk(new SimulatedRandom(5), 512, new SimulatedClock(), new OperationTrace());
        var options = new EnvironmentOptions
        {
            Durability = Durability.Lazy,
            MaxDataFileBytes = 64 << 20,
            InitialDataFileBytes = 64 << 10,
            JournalFileBytes = 256 << 10,
            FirstJournalFileBytes = 64 << 10,
            RecoveryWritesAside = false,
        };
        using var storage = StorageEnvironment.Open(disk, options);
        var index = SearchIndex.Open(storage, IndexScene.Id);
        using var batch = index.BeginBatch();
        var ids = new List<ushort>();
        for (int round = 0; round < 6; round++)
        {
            ids.Add(Apply(storage, batch, round));
            Assert.Equal(20 * (round + 1), EntryCount(index));
            disk.Faults = new DiskFaults { JournalWriteError = 1 };
            storage.RunJournalStep(force: true);
            disk.Faults = DiskFaults.None;
            Assert.Equal(round + 1, storage.LastRollBack?.Generation - 1);
            Assert.Equal(20 * round, EntryCount(index));

            Assert.Equal(ids[^1], Apply(storage, batch, round));
            while (storage.RunJournalStep(force: true)) { }
            Assert.Equal(20 * (round + 1), EntryCount(index));
        }
        Assert.Equal(ids.Distinct(), ids);
        using var reader = index.OpenRead("test");
        Assert.Equal(Enumerable.Range(0, 6).Select(round => "field " + round), reader.Fields.Select(field => field.Name));
        Assert.All(reader.Fields, field => Assert.Equal(20, field.EntryCount));
    }

    private static ushort Apply(StorageEnvironment storage, EntryBatch batch, int round)
    {
        var field = batch.Field("field " + round, new FieldOptions());
        for (int i = 0; i < 20; i++)
        {
            batch.BeginSource(Encoding.UTF8.GetBytes($"docs/{round}/{i}"));
            batch.BeginEntry();
            batch.AddText(field, Encoding.UTF8.GetBytes("term " + i % 3));
        }
        using var writer = storage.BeginWrite();
        batch.Apply(writer);
        writer.Commit();
        return field;
    }

    private static long EntryCount(SearchIndex index)
    {
        using var reader = index.OpenRead("test");
        Assert.Empty(SearchCheck.Run(reader));
        return reader.EntryCount;
    }
}
