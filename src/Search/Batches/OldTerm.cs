namespace Jackdaw.Search.Batches;

/// <summary>A term that an entry of the index has.</summary>
internal struct OldTerm
{
    /// <summary>The term's number in the batch.</summary>
    public int Term;

    public uint Frequency;
}
