namespace Jackdaw.Search.Postings;

/// <summary>How a term's postings lie in its record. The values are those of the format.</summary>
internal enum PostingForm : byte
{
    Single = 0,
    Packed = 1,
    Large = 2,
}
