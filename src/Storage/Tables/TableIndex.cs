namespace Jackdaw.Storage.Tables;

/// <summary>One secondary index of a <see cref="TableSchema"/>; also the handle by which its rows are looked up.</summary>
public sealed class TableIndex
{
    internal TableIndex(TableSchema schema, int ordinal, string name, bool isUnique, bool holdsPrimaryKey, KeyExtractor extractKey)
    {
        Schema = schema;
        Ordinal = ordinal;
        Name = name;
        TreeName = $"{schema.Name}/{name}";
        IsUnique = isUnique;
        HoldsPrimaryKey = holdsPrimaryKey;
        ExtractKey = extractKey;
    }

    /// <summary>The name of the index; with the table's name it names the tree.</summary>
    public string Name { get; }

    /// <summary>
    /// Unique: one row a key. Otherwise the tree's keys are index key ++ primary key, and rows of one index key come in primary key order.
    /// </summary>
    public bool IsUnique { get; }

    /// <summary>No two rows can have the same key, whatever is in them: a dead row's entry stays with it.</summary>
    internal bool HoldsPrimaryKey { get; }

    internal TableSchema Schema { get; }

    internal int Ordinal { get; }

    /// <summary>The index's tree in the catalog.</summary>
    internal string TreeName { get; }

    internal KeyExtractor ExtractKey { get; }
}
