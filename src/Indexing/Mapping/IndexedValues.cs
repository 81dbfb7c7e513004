namespace Jackdaw.Indexing.Mapping;

/// <summary>What indexes hold of the values of documents: the tables of docs/indexing.md.</summary>
internal static class IndexedValues
{
    /// <summary>An index that holds values of another version is built again. Version 1 had dates as they were written; version 2 had no
    /// numbers of elements.</summary>
    public const uint Version = 3;
}
