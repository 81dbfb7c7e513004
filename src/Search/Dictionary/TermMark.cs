namespace Jackdaw.Search.Dictionary;

/// <summary>What an entry carries in place of a term; the values are those of the format.</summary>
internal enum TermMark : byte
{
    /// <summary>The value null.</summary>
    Null = 1,

    /// <summary>An array without elements.</summary>
    EmptyArray = 2,

    /// <summary>The entry has the field, whatever its value.</summary>
    Exists = 3,
}
