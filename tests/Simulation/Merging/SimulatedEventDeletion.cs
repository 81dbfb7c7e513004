using Jackdaw.Documents.EventStreams;

namespace Jackdaw.Simulation.Merging;

/// <summary>Events of a stream deleted up to a number.</summary>
internal sealed class SimulatedEventDeletion(DeleteEventsOperation operation, string stream, long upTo) : SimulatedOperation(operation)
{
    public override bool IsSmall => true;

    public override string ToString() => $"operation {Number} (delete events of {stream} up to {upTo})";

    protected override (DatabaseState After, ExpectedRefusal? Refusal) Model(DatabaseState before, bool kept)
    {
        var after = before;
        if (before.Events.Hides(stream, upTo))
        {
            var lastEtag = before.LastEtag + before.Events.EtagsOf(stream, upTo);
            after = before with { Events = before.Events.Delete(stream, upTo, lastEtag, ExecutedAt), LastEtag = lastEtag };
        }
        var state = after.Events.Streams.GetValueOrDefault(stream);
        if (kept)
            Require(
                operation.DeletedUpTo == (state?.DeletedUpTo ?? 0) && operation.Highest == (state?.Highest ?? 0),
                $"was told {operation.DeletedUpTo} of {operation.Highest} instead of {state?.DeletedUpTo} of {state?.Highest}"
            );
        return (after, null);
    }
}
