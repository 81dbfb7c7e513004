namespace Jackdaw.Search.Queries;

/// <summary>How two entries are compared.</summary>
public enum SearchOrderKind
{
    /// <summary>By the bytes of terms; a number as the text that JSON would have.</summary>
    Text,

    /// <summary>By numbers; texts count as missing.</summary>
    Number,

    /// <summary>By terms, runs of digits in them as numbers.</summary>
    AlphaNumeric,

    /// <summary>By a hash of seed and entry.</summary>
    Random,

    /// <summary>By entry id: the order in which entries were made.</summary>
    Entry,
}
