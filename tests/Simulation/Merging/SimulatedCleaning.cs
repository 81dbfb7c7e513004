using Jackdaw.Documents;
using Jackdaw.Documents.Tombstones;

namespace Jackdaw.Simulation.Merging;

/// <summary>Old tombstones removed.</summary>
internal sealed class SimulatedCleaning(CleanTombstonesOperation operation) : SimulatedOperation(operation)
{
    public override bool IsSmall => false;

    public override string ToString() => $"operation {Number} (clean up to {operation.UpToEtag})";

    protected override (DatabaseState After, ExpectedRefusal? Refusal) Model(DatabaseState before, bool kept)
    {
        var after = before.RemoveTombstones(operation.UpToEtag, Limits.TombstonesPerCleaning);
        if (kept)
            Require(operation.Removed == before.Tombstones.Count - after.Tombstones.Count, $"was told of {operation.Removed} removed");
        return (after, null);
    }
}
