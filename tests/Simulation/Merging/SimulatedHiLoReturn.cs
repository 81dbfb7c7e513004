using Jackdaw.Documents.Commands;

namespace Jackdaw.Simulation.Merging;

/// <summary>The rest of a range given back.</summary>
internal sealed class SimulatedHiLoReturn(ReturnHiLoOperation operation, string tag, long end, long last) : SimulatedOperation(operation)
{
    public override bool IsSmall => true;

    public override string ToString() => $"operation {Number} (range of {tag} given back from {last} to {end})";

    protected override (DatabaseState After, ExpectedRefusal? Refusal) Model(DatabaseState before, bool kept) =>
        (last < end && SimulatedHiLo.MaxIn(before, tag) == end ? SimulatedHiLo.WithMax(before, tag, last, ExecutedAt) : before, null);
}
