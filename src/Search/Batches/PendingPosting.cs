namespace Jackdaw.Search.Batches;

/// <summary>A term of an entry.</summary>
internal struct PendingPosting
{
    /// <summary>The term's number in the batch.</summary>
    public int Term;

    public uint Frequency;

    /// <summary>Where its positions begin.</summary>
    public int PositionsAt;
}
