namespace Jackdaw.Search.Postings;

/// <summary>What a term's postings carry beside ids. The values are those of the format.</summary>
[Flags]
internal enum PostingOptions : byte
{
    None = 0,
    Frequencies = 1,

    /// <summary>Only together with <see cref="Frequencies"/>: a posting has as many positions as its frequency says.</summary>
    Positions = 2,
}
