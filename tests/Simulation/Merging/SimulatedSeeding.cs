using Jackdaw.Documents.Commands;

namespace Jackdaw.Simulation.Merging;

/// <summary>An identity set by hand.</summary>
internal sealed class SimulatedSeeding(SeedIdentityOperation operation, string name, long value, bool force) : SimulatedOperation(operation)
{
    public override bool IsSmall => true;

    public override string ToString() => $"operation {Number} (seed {name} {value}{(force ? " by force" : "")})";

    protected override (DatabaseState After, ExpectedRefusal? Refusal) Model(DatabaseState before, bool kept)
    {
        var last = before.Identities.GetValueOrDefault(name);
        var now = force ? value : Math.Max(last, value);
        if (kept)
            Require(operation.Value == now, $"was told {operation.Value} instead of {now}");
        return (now == last ? before : before with { Identities = before.Identities.SetItem(name, now) }, null);
    }
}
