namespace Jackdaw.Search.Batches;

/// <summary>A cell of a column that changes.</summary>
internal struct PendingCell
{
    public long Entry;

    /// <summary>The smallest term; -1: none.</summary>
    public int Term;

    public bool HasSeveral;

    /// <summary>The field's next one, of a higher entry; -1: none.</summary>
    public int Next;
}
