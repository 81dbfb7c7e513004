using Jackdaw.Documents;
using Jackdaw.Documents.Expiring;

namespace Jackdaw.Simulation.Merging;

/// <summary>It is configured how documents expire, or are refreshed.</summary>
internal sealed class SimulatedConfiguration(
    ConfigureDueDocumentsOperation operation,
    DocumentDateKind kind,
    DueDocumentsSettings settings,
    DocumentExpirer expirer
) : SimulatedOperation(operation)
{
    public override bool IsSmall => true;

    public override string ToString() => $"operation {Number} ({kind}: {settings})";

    /// <summary>As a database does it once the operation is durable.</summary>
    public override void Return()
    {
        if (IsAnswered && AnsweredWith is null)
            expirer.Configure(kind, settings, operation.Order);
    }

    protected override (DatabaseState After, ExpectedRefusal? Refusal) Model(DatabaseState before, bool kept) =>
        (before.With(kind, settings), null);
}
