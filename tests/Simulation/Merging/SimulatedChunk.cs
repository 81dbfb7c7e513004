using Jackdaw.Documents.Snapshots;

namespace Jackdaw.Simulation.Merging;

/// <summary>A chunk of an upload stored.</summary>
internal sealed class SimulatedChunk(StoreChunkOperation operation, SimulatedUpload upload, int bytes) : SimulatedOperation(operation)
{
    public override bool IsSmall => false;

    public override string ToString() => $"operation {Number} (chunk of {bytes} bytes at {upload.StoredBytes} of {upload.Stream})";

    public override void Return()
    {
        upload.IsBusy = false;
        if (IsAnswered && Refusal is null && Transaction != 0)
            operation.Count();
        else
            upload.End(isComplete: false);
    }

    protected override (DatabaseState After, ExpectedRefusal? Refusal) Model(DatabaseState before, bool kept)
    {
        var snapshots =
            upload.Content == 0 ? before.Snapshots.BeginUpload(bytes, ExecutedAt) : before.Snapshots.AddChunk(upload.Content, bytes);
        if (kept && upload.Content == 0)
            upload.Content = snapshots.LastNumber;
        return (before with { Snapshots = snapshots }, null);
    }
}
