namespace Jackdaw.Search.Batches;

/// <summary>A source whose entries are replaced.</summary>
internal struct PendingSource
{
    public int KeyAt;

    public int KeyBytes;

    public int FirstEntry;

    public int Entries;

    /// <summary>Where its old ids begin in the list of those.</summary>
    public int FirstOldId;

    public int OldIds;

    /// <summary>Where its new ids begin in the list of those.</summary>
    public int FirstNewId;

    /// <summary>A later source of the batch has the same key.</summary>
    public bool IsReplaced;
}
