using Jackdaw.Documents.Snapshots;

namespace Jackdaw.Simulation.Merging;

/// <summary>Snapshots of a stream deleted within bounds.</summary>
internal sealed class SimulatedSnapshotDeletion(DeleteSnapshotsOperation operation, string stream, SnapshotCriteria criteria)
    : SimulatedOperation(operation)
{
    public override bool IsSmall => false;

    public override string ToString() => $"operation {Number} (delete snapshots of {stream}: {criteria})";

    protected override (DatabaseState After, ExpectedRefusal? Refusal) Model(DatabaseState before, bool kept)
    {
        var snapshots = before.Snapshots.Delete(stream, criteria, ExecutedAt, out var deleted);
        if (kept)
            Require(
                operation.Deleted == deleted && !operation.HasMore,
                $"was told of {operation.Deleted} deleted instead of {deleted}, and that there is more: {operation.HasMore}"
            );
        return (deleted == 0 ? before : before with { Snapshots = snapshots }, null);
    }
}
