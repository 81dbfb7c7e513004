using System.Runtime.InteropServices;

namespace Jackdaw.Search.Postings;

/// <summary>One change to a term's postings: the posting of an entry is added, replaced, or removed.</summary>
[StructLayout(LayoutKind.Sequential)]
internal readonly record struct PostingChange
{
    /// <summary>The entry's id; positive.</summary>
    public required long Entry { get; init; }

    /// <summary>How often the term is in the entry's field, 1 where the field keeps no frequencies. 0: the posting is removed.</summary>
    public required uint Frequency { get; init; }

    /// <summary>Length of the entry's field in tokens; 0: not known.</summary>
    public uint Length { get; init; }

    /// <summary>Where the positions begin in the array that is given with the changes. There are as many as
    /// <see cref="Frequency"/>, ascending.</summary>
    public int PositionsAt { get; init; }

    public bool IsRemoval => Frequency == 0;
}
