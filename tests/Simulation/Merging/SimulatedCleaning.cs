using Jackdaw.Documents;
using Jackdaw.Documents.Tombstones;

namespace Jackdaw.Simulation.Merging;

/// <summary>Tombstones removed that every consumer of their collection has passed.</summary>
internal sealed class SimulatedCleaning(CleanTombstonesOperation operation) : SimulatedOperation(operation)
{
    public override bool IsSmall => false;

    public override string ToString() => $"operation {Number} (clean up to {operation.UpToEtag})";

    protected override (DatabaseState After, ExpectedRefusal? Refusal) Model(DatabaseState before, bool kept)
    {
        var after = before.RemoveTombstones(UpTo);
        var removed = before.Tombstones.Count - after.Tombstones.Count;
        Require(removed < Limits.TombstonesPerCleaning, "there are more tombstones than go at once");
        var (events, removedEvents) = before.Events.Clean(UpTo("@events"));
        if (removedEvents > 0)
            after = after with { Events = events };
        if (kept)
            Require(
                operation.RemovedEvents == removedEvents,
                $"was told of {operation.RemovedEvents} events removed instead of {removedEvents}"
            );
        if (kept)
            Require(operation.Removed == removed, $"was told of {operation.Removed} removed instead of {removed}");
        return (after, null);
    }

    private long UpTo(string collection)
    {
        var upTo = operation.UpToEtag;
        foreach (var consumer in operation.Consumers)
        {
            if (consumer.Wants is null || consumer.Wants(collection))
                upTo = Math.Min(upTo, consumer.Etag);
        }
        return upTo;
    }
}
