namespace Jackdaw.Search.Postings;

/// <summary>The lengths of one field's entries, in tokens, as they are before the batch.</summary>
internal interface IFieldLengths
{
    /// <summary>Returns the length; 0: not known.</summary>
    uint LengthOf(long entry);
}
