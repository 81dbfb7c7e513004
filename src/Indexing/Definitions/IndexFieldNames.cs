namespace Jackdaw.Indexing.Definitions;

/// <summary>What the fields of an automatic index are called inside the index. A path that has parentheses of its own is quoted
/// (<see cref="FieldPath"/>), so that none of these names is a path.</summary>
public static class IndexFieldNames
{
    /// <summary>The document's id, in every index.</summary>
    public const string Id = "id()";

    /// <summary>The words of a path's texts.</summary>
    public static string Search(string path) => $"search({path})";

    /// <summary>The texts of a path, case and all.</summary>
    public static string Exact(string path) => $"exact({path})";
}
