namespace Jackdaw.Search.Batches;

/// <summary>A length that changes.</summary>
internal struct PendingLength
{
    public long Entry;

    public uint Length;

    /// <summary>The field's next one, of a higher entry; -1: none.</summary>
    public int Next;
}
