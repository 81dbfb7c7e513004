namespace Jackdaw.Search.Batches;

/// <summary>An entry that was added: its fields, in ascending order of their ids, and its stored section.</summary>
internal struct PendingEntry
{
    public int FirstField;

    public int Fields;

    public int StoredAt;

    public int StoredBytes;
}
