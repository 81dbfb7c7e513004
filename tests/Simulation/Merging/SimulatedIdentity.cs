using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;

namespace Jackdaw.Simulation.Merging;

/// <summary>The next value of an identity.</summary>
internal sealed class SimulatedIdentity(NextIdentityOperation operation, string name) : SimulatedOperation(operation)
{
    public override bool IsSmall => true;

    public override string ToString() => $"operation {Number} (next of {name})";

    protected override (DatabaseState After, ExpectedRefusal? Refusal) Model(DatabaseState before, bool kept)
    {
        var last = before.Identities.GetValueOrDefault(name);
        if (last == long.MaxValue)
            return (before, new ExpectedRefusal(typeof(NumbersExhaustedException), null));
        if (kept)
            Require(operation.Value == last + 1, $"was told {operation.Value} after {last}");
        return (before with { Identities = before.Identities.SetItem(name, last + 1) }, null);
    }
}
