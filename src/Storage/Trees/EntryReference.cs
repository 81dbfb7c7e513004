namespace Jackdaw.Storage.Trees;

/// <summary>An entry of an <see cref="EntryList"/>: where it lies.</summary>
internal unsafe struct EntryReference
{
    /// <summary>Null: the list's one entry that lies on no page yet.</summary>
    public byte* Page;

    public int Index;
}
