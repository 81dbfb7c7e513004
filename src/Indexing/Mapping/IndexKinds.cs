using Jackdaw.Indexing.Mapping.Automatic;

namespace Jackdaw.Indexing.Mapping;

/// <summary>The kinds of index that there are.</summary>
internal static class IndexKinds
{
    private static readonly IIndexKind[] s_all = [AutomaticKind.Instance];

    /// <summary>The kind of a name; null: this server does not know it.</summary>
    public static IIndexKind? Find(string name) => Array.Find(s_all, kind => kind.Name == name);
}
