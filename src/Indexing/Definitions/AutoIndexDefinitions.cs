using System.Text;

namespace Jackdaw.Indexing.Definitions;

/// <summary>What automatic indexes are called, when one answers for another, and what two of them are together.</summary>
public static class AutoIndexDefinitions
{
    /// <summary>How the collection of all documents is called.</summary>
    public const string AllDocuments = "AllDocs";

    /// <summary>
    /// The name of the index: <c>Auto/Users/ByageAndname</c>. A field that is searched or compared exactly shows as
    /// <c>search(name)</c> or <c>exact(name)</c>, a nested one by its path. Without fields: <c>Auto/Users</c>.
    /// </summary>
    public static string Name(AutoIndexDefinition definition)
    {
        ArgumentNullException.ThrowIfNull(definition);
        var name = new StringBuilder("Auto/").Append(definition.Collection ?? AllDocuments);
        string before = "/By";
        foreach (var field in definition.Fields)
        {
            if (!field.HasSearch && !field.HasExact)
                Add(field.Path);
            if (field.HasSearch)
                Add(SearchField(field.Path));
            if (field.HasExact)
                Add(ExactField(field.Path));
        }
        return name.ToString();

        void Add(string part)
        {
            name.Append(before).Append(part);
            before = "And";
        }
    }

    /// <summary>The field of an index that holds a path word by word.</summary>
    public static string SearchField(string path) => $"search({path})";

    /// <summary>The field of an index that holds a path exactly.</summary>
    public static string ExactField(string path) => $"exact({path})";

    /// <summary>Both are of one collection.</summary>
    public static bool IsOfSameCollection(AutoIndexDefinition one, AutoIndexDefinition other)
    {
        ArgumentNullException.ThrowIfNull(one);
        ArgumentNullException.ThrowIfNull(other);
        return string.Equals(one.Collection, other.Collection, StringComparison.OrdinalIgnoreCase);
    }

    /// <summary>The index has every field that is wanted, with what is wanted of it.</summary>
    public static bool Covers(AutoIndexDefinition index, AutoIndexDefinition wanted)
    {
        if (!IsOfSameCollection(index, wanted))
            return false;
        foreach (var field in wanted.Fields)
        {
            if (Find(index, field.Path) is not { } has || (field.HasSearch && !has.HasSearch) || (field.HasExact && !has.HasExact))
                return false;
        }
        return true;
    }

    /// <summary>All fields of both, of one collection, which is spelled as in the first.</summary>
    public static AutoIndexDefinition Merge(AutoIndexDefinition one, AutoIndexDefinition other)
    {
        Storage.Invariant.Require(IsOfSameCollection(one, other));
        var fields = one
            .Fields.Concat(other.Fields)
            .GroupBy(field => field.Path, StringComparer.Ordinal)
            .Select(same => new AutoIndexField(same.Key, same.Any(field => field.HasSearch), same.Any(field => field.HasExact)))
            .OrderBy(field => field.Path, StringComparer.Ordinal);
        return new AutoIndexDefinition(one.Collection, [.. fields]);
    }

    /// <summary>The same definition with its fields in order, each once.</summary>
    public static AutoIndexDefinition Canonical(AutoIndexDefinition definition) => Merge(definition, definition);

    private static AutoIndexField? Find(AutoIndexDefinition index, string path)
    {
        foreach (var field in index.Fields)
        {
            if (field.Path == path)
                return field;
        }
        return null;
    }
}
