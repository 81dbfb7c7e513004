using Jackdaw.Search;

namespace Jackdaw.Indexing.Mapping;

/// <summary>Takes the entries of one document after another: what a map writes to.</summary>
internal interface IEntryWriter
{
    /// <summary>The id of a field, which is made with these options where the index has none of the name.</summary>
    ushort Field(string name, FieldOptions options);

    /// <summary>The next entry of the document.</summary>
    void BeginEntry();

    /// <summary>Adds a text to the entry.</summary>
    void AddText(ushort field, ReadOnlySpan<byte> utf8);

    /// <summary>Adds a number to the entry.</summary>
    void AddNumber(ushort field, SearchNumber number);

    /// <summary>Adds null to the entry.</summary>
    void AddNull(ushort field);

    /// <summary>The field is an array without elements.</summary>
    void AddEmptyArray(ushort field);
}
