using Jackdaw.Indexing.Definitions;

namespace Jackdaw.Indexing.Queries;

/// <summary>The fields that a query needs of an index, gathered while its conditions and orders are read.</summary>
internal sealed class WantedFields
{
    /// <summary>The field of document ids, which every index has.</summary>
    public const string Id = "id()";

    private readonly SortedDictionary<string, AutoIndexField> _byPath = new(StringComparer.Ordinal);

    public string Plain(string path)
    {
        _byPath.TryAdd(path, new AutoIndexField(path));
        return path;
    }

    public string Search(string path)
    {
        Plain(path);
        _byPath[path] = _byPath[path] with { HasSearch = true };
        return AutoIndexDefinitions.SearchField(path);
    }

    public string Exact(string path)
    {
        Plain(path);
        _byPath[path] = _byPath[path] with { HasExact = true };
        return AutoIndexDefinitions.ExactField(path);
    }

    public AutoIndexDefinition Of(string? collection) => new(collection, [.. _byPath.Values]);
}
