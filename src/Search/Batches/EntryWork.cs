namespace Jackdaw.Search.Batches;

/// <summary>What becomes of one entry of the index.</summary>
internal struct EntryWork
{
    public long Id;

    /// <summary>The pending entry that it becomes; -1: it goes.</summary>
    public int Entry;

    public int Source;

    /// <summary>The index has an entry of this id.</summary>
    public bool IsThere;
}
