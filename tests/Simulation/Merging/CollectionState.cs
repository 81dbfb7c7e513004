namespace Jackdaw.Simulation.Merging;

/// <summary>A collection as the model knows it: its kept casing and its counters.</summary>
internal sealed record CollectionState(string Name)
{
    public int Documents { get; init; }

    public int Tombstones { get; init; }

    public long LastDocumentEtag { get; init; }

    public long LastTombstoneEtag { get; init; }
}
