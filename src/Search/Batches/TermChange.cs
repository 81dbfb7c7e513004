namespace Jackdaw.Search.Batches;

/// <summary>A posting that comes, goes or changes.</summary>
internal struct TermChange
{
    public long Entry;

    /// <summary>The term's number in the batch.</summary>
    public int Term;

    /// <summary>0: the posting goes.</summary>
    public uint Frequency;

    public int PositionsAt;

    public uint Length;
}
