using Jackdaw.Documents.Maintenance;
using Jackdaw.Documents.Snapshots;
using Jackdaw.Simulation.Medium;
using Jackdaw.Simulation.Merging;
using Xunit;
using Xunit.Abstractions;
using ModelState = Jackdaw.Simulation.Merging.DatabaseState;

namespace Jackdaw.Documents.Tests.Snapshots;

/// <summary>Random uploads, some given up in the middle, deletions, cleanings and downloads, against the model. The seed is in the
/// failure.</summary>
public sealed class SnapshotPropertyTests(ITestOutputHelper output)
{
    private const int Seeds = 8;
    private const int Steps = 400;

    [Fact]
    public void Snapshots_are_what_the_model_makes_of_their_operations()
    {
        var seed = (ulong)Random.Shared.NextInt64(1_000_000_000);
        for (var last = seed + Seeds; seed < last; seed++)
        {
            try
            {
                Run(seed);
            }
            catch (Exception failure)
            {
                output.WriteLine($"Seed {seed}");
                throw new InvalidOperationException($"Seed {seed}: {failure.Message}", failure);
            }
        }
    }

    private static void Run(ulong seed)
    {
        using var database = new TestDatabase();
        var random = new SimulatedRandom(seed);
        var traffic = new SnapshotTrafficDriver(random);
        var state = ModelState.Empty;
        for (int step = 0; step < Steps; step++)
        {
            database.Clock.Advance(TimeSpan.FromMilliseconds(random.Next(3)));
            if (random.OneIn(3))
                traffic.Download(state.Snapshots.LastNumber, read => Read(database, reader => read(reader, state)));
            SimulatedOperation operation = random.Next(12) switch
            {
                0 => traffic.DrawCleaning(state.Snapshots.LastNumber, step, refusesItselfAt: null),
                1 => traffic.DrawDeletion(step, refusesItselfAt: null),
                _ => traffic.DrawUpload(step, refusesItselfAt: null),
            };
            database.Do(operation);
            state = operation.Judge(state, operation.Refusal);
            operation.Transaction = step + 1;
            operation.IsAnswered = true;
            operation.Return();
            if (step % 20 == 0)
                Read(database, reader => SnapshotsCheckByModel.Run(reader, state.Snapshots));
        }
        Read(database, reader => SnapshotsCheckByModel.Run(reader, state.Snapshots));
        Assert.Empty(RoomsCheck.Run(database.Storage, [SnapshotsRoom.Instance]));
        Assert.Equal(0, database.Merger.LastDurableEtag);
    }

    private static void Read(TestDatabase database, Action<Reading.DocumentsReader> read)
    {
        using var reader = database.Read();
        read(reader);
    }
}
