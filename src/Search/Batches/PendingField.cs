namespace Jackdaw.Search.Batches;

/// <summary>A field of an entry.</summary>
internal struct PendingField
{
    public ushort Field;

    public int FirstPosting;

    /// <summary>The first is of the mark <see cref="Dictionary.TermMark.Exists"/>.</summary>
    public int Postings;

    /// <summary>Tokens, where the field keeps frequencies.</summary>
    public uint Length;

    /// <summary>The position that the next value begins at.</summary>
    public uint NextPosition;

    /// <summary>Of all terms with their positions, where the field keeps positions.</summary>
    public ulong Hash;
}
