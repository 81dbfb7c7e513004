namespace Jackdaw.Storage.Tables;

/// <summary>
/// A table's name and its indexes. Made once, at start, and shared by all transactions; not changed once a table has been opened with it.
/// </summary>
public sealed class TableSchema
{
    private readonly List<TableIndex> _indexes = [];

    /// <param name="name">Also the name of the tree of the rows in the catalog; the indexes' trees are named "name/index".</param>
    public TableSchema(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        Name = name;
    }

    public string Name { get; }

    public IReadOnlyList<TableIndex> Indexes => _indexes;

    /// <summary>Adds a secondary index and returns its handle.</summary>
    public TableIndex AddIndex(string name, bool isUnique, KeyExtractor extractKey)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(extractKey);
        Invariant.Require(!_indexes.Exists(index => index.Name == name));
        var added = new TableIndex(this, _indexes.Count, name, isUnique, extractKey);
        _indexes.Add(added);
        return added;
    }
}
