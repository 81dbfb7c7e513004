using Jackdaw.Indexing.Registry;
using Jackdaw.Simulation.Merging;

namespace Jackdaw.Simulation.Registry;

/// <summary>Records of indexes changed together.</summary>
/// <param name="operation">The real one.</param>
/// <param name="what">For people.</param>
internal sealed class SimulatedRegistryChange(ChangeIndexesOperation operation, string what) : SimulatedOperation(operation)
{
    /// <summary>Records that are stored.</summary>
    public IReadOnlyList<IndexRecord> Puts { get; init; } = [];

    /// <summary>Records that go.</summary>
    public IReadOnlyList<IndexRecord> Removals { get; init; } = [];

    /// <summary>A lower bound that is raised, where the record is still there.</summary>
    public (Guid Index, long Etag)? Bound { get; init; }

    public override bool IsSmall => true;

    public override string ToString() => $"operation {Number} ({what})";

    protected override (DatabaseState After, ExpectedRefusal? Refusal) Model(DatabaseState before, bool kept)
    {
        var indexes = before
            .Indexes.RemoveRange(Removals.Select(record => record.InstanceId))
            .SetItems(Puts.Select(record => KeyValuePair.Create(record.InstanceId, record)));
        if (Bound is { } bound && indexes.TryGetValue(bound.Index, out var raised) && raised.LowerBound < bound.Etag)
            indexes = indexes.SetItem(bound.Index, raised with { LowerBound = bound.Etag });
        return (ReferenceEquals(indexes, before.Indexes) ? before : before with { Indexes = indexes }, null);
    }
}
