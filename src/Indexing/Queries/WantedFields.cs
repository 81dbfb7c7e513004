using Jackdaw.Indexing.Definitions;

namespace Jackdaw.Indexing.Queries;

/// <summary>The fields that a query needs of an index, gathered while its conditions and orders are read.</summary>
internal sealed class WantedFields
{
    /// <summary>The field of document ids, which every index has.</summary>
    public const string Id = "id()";

    /// <summary>By path.</summary>
    private readonly List<AutoIndexField> _fields = [];

    public string Plain(string path)
    {
        Add(path);
        return path;
    }

    public string Search(string path)
    {
        int at = Add(path);
        _fields[at] = _fields[at] with { HasSearch = true };
        return AutoIndexDefinitions.SearchField(path);
    }

    public string Exact(string path)
    {
        int at = Add(path);
        _fields[at] = _fields[at] with { HasExact = true };
        return AutoIndexDefinitions.ExactField(path);
    }

    public AutoIndexDefinition Of(string? collection) => new(collection, [.. _fields]);

    /// <summary>Returns where the field of the path stands.</summary>
    private int Add(string path)
    {
        int at = _fields.FindIndex(field => string.CompareOrdinal(field.Path, path) >= 0);
        if (at >= 0 && _fields[at].Path == path)
            return at;
        at = at < 0 ? _fields.Count : at;
        _fields.Insert(at, new AutoIndexField(path));
        return at;
    }
}
