namespace Jackdaw.Indexing.Queries;

/// <summary>How the documents of a query are found.</summary>
public enum QuerySourceKind
{
    /// <summary>All documents of the collection, or of the database.</summary>
    Everything,

    /// <summary>The documents of a list of ids.</summary>
    Ids,

    /// <summary>The documents whose ids begin with a text.</summary>
    IdPrefix,
}
