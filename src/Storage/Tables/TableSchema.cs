using Jackdaw.Storage.Trees;

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

    /// <summary>The name of the table.</summary>
    public string Name { get; }

    /// <summary>Its indexes, in the order of their declaration.</summary>
    public IReadOnlyList<TableIndex> Indexes => _indexes;

    /// <summary>
    /// Rows that <see cref="Table.Replace"/> gives a new primary key stay where they are, marked as dead and shown to nobody,
    /// until <see cref="Table.Vacuum"/>
    /// removes them together with their neighbours: a page that held ten of them is then written once, not ten times. Primary
    /// keys must be numbers of 63 bits,
    /// 8 bytes big-endian, and none may be used a second time. Fixed when the table is made.
    /// </summary>
    public bool KeepsDeadRows { get; init; }

    /// <summary>
    /// Where in the rows the states of other structures lie; the default: nowhere. Fixed when the table is made. Index keys must not depend
    /// on the states' bytes, and rows are written with <see cref="Table.Insert"/>, not <see cref="Table.Reserve"/>.
    /// </summary>
    public EmbeddedStates Embeds { get; init; }

    internal string DeadRowsName => Name + "/dead";

    /// <summary>Adds a secondary index and returns its handle.</summary>
    /// <param name="name">Of the index.</param>
    /// <param name="isUnique">One row a key.</param>
    /// <param name="extractKey">A row's key in it.</param>
    /// <param name="holdsPrimaryKey">The key of a unique index contains the row's primary key, so that of two rows no two have
    /// the same whatever is in them.</param>
    public TableIndex AddIndex(string name, bool isUnique, KeyExtractor extractKey, bool holdsPrimaryKey = false)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(extractKey);
        Invariant.Require(!_indexes.Exists(index => index.Name == name));
        var added = new TableIndex(this, _indexes.Count, name, isUnique, holdsPrimaryKey || !isUnique, extractKey);
        Invariant.Require(added.TreeName != DeadRowsName);
        _indexes.Add(added);
        return added;
    }
}
