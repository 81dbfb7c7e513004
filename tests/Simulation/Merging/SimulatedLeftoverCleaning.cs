using Jackdaw.Documents.Snapshots;
using Jackdaw.Documents.Writing;

namespace Jackdaw.Simulation.Merging;

/// <summary>Contents removed that no snapshot has.</summary>
internal sealed class SimulatedLeftoverCleaning(RemoveLeftoversOperation operation, SnapshotTraffic traffic) : SimulatedOperation(operation)
{
    private readonly HashSet<long> _uploads = [];
    private readonly Dictionary<long, bool> _held = [];

    public override bool IsSmall => false;

    public override string ToString() => $"operation {Number} (clean leftovers up to {operation.UpToNumber})";

    /// <summary>What is under way when it is executed decides what goes.</summary>
    internal override void Execute(DocumentsWriter writer)
    {
        traffic.CopyUploads(_uploads);
        _held.Clear();
        if (SnapshotTrees.Of(new Documents.Rooms.RoomReader(writer.Transaction, SnapshotsRoom.Instance)) is { } trees)
        {
            using var cursor = trees.Leftovers.OpenCursor();
            for (var found = cursor.SeekFirst(); found; found = cursor.MoveNext())
            {
                var content = SnapshotsRoom.ReadContentKey(cursor.Key);
                _held.Add(content, traffic.IsHeld(content, LeftoverRecord.Read(cursor.Value).Number));
            }
        }
        base.Execute(writer);
    }

    protected override (DatabaseState After, ExpectedRefusal? Refusal) Model(DatabaseState before, bool kept)
    {
        var snapshots = before.Snapshots.Clean(Goes, out var removedBytes, out var hasMore);
        if (kept)
            Require(
                operation.RemovedBytes == removedBytes && operation.HasMore == hasMore && operation.Left == snapshots.Leftovers.Count,
                $"was told of {operation.RemovedBytes} bytes removed instead of {removedBytes}, that there is more: {operation.HasMore}, "
                    + $"and of {operation.Left} left instead of {snapshots.Leftovers.Count}"
            );
        return (ReferenceEquals(snapshots, before.Snapshots) ? before : before with { Snapshots = snapshots }, null);
    }

    private bool Goes(long content, LeftoverState leftover)
    {
        if (leftover.IsUploading)
            return !_uploads.Contains(content);
        return leftover.Number <= operation.UpToNumber && (leftover.Ticks < operation.AgedBeforeTicks || !_held.GetValueOrDefault(content));
    }
}
