namespace Jackdaw.Search.Batches;

/// <summary>An occurrence of a term in a field with positions.</summary>
internal struct PendingToken
{
    public int Posting;

    public uint Position;
}
