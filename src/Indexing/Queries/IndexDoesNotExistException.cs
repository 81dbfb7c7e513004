using Jackdaw.Indexing.Rql;

namespace Jackdaw.Indexing.Queries;

/// <summary>The query names an index that the database does not have.</summary>
public sealed class IndexDoesNotExistException : QueryException
{
    internal IndexDoesNotExistException(string indexName, RqlPosition position)
        : base($"There is no index '{indexName}' ({position}).", position) => IndexName = indexName;

    /// <summary>The index's name as the query gives it.</summary>
    public string IndexName { get; }
}
