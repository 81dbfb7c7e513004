namespace Jackdaw.Indexing.Definitions;

/// <summary>Names at the end of a path that mean the number of elements where an array stands in front of them, as in
/// <c>lines.Count</c>.</summary>
public static class ElementCounts
{
    /// <summary>Returns whether the last step of a path has such a name.</summary>
    public static bool IsName(FieldPathStep last) => !last.IsEach && IsName(last.Name);

    /// <summary>Returns whether it is such a name: as .NET's and JavaScript's arrays have them.</summary>
    public static bool IsName(string name) => name is "Count" or "count" or "Length" or "length";
}
