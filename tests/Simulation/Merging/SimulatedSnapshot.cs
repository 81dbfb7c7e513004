using Jackdaw.Documents.Snapshots;

namespace Jackdaw.Simulation.Merging;

/// <summary>A snapshot made visible.</summary>
internal sealed class SimulatedSnapshot(StoreSnapshotOperation operation, SimulatedUpload upload, int restBytes)
    : SimulatedOperation(operation)
{
    public override bool IsSmall => false;

    public override string ToString() =>
        $"operation {Number} (snapshot {upload.Number} of {upload.Stream}, {upload.StoredBytes} + {restBytes} bytes)";

    public override void Return()
    {
        upload.IsBusy = false;
        upload.End(isComplete: IsAnswered && Refusal is null && Transaction != 0);
    }

    protected override (DatabaseState After, ExpectedRefusal? Refusal) Model(DatabaseState before, bool kept)
    {
        var snapshot = new SnapshotState(upload.Ticks ?? ExecutedAt, upload.Seed % 5, $"m{upload.Seed}", upload.Content, upload.Seed, []);
        var snapshots = before.Snapshots.Put(upload.Stream, upload.Number, snapshot, restBytes, ExecutedAt);
        if (kept)
        {
            Require(operation.Ticks == snapshot.Ticks, $"was told the ticks {operation.Ticks}");
            var leaves = snapshots.Leftovers.Keys.Any(content => !before.Snapshots.Leftovers.ContainsKey(content));
            Require(operation.LeavesContent == leaves, $"was told that it leaves a content: {operation.LeavesContent}");
        }
        return (before with { Snapshots = snapshots }, null);
    }
}
