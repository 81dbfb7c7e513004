using Jackdaw.Indexing.Rql;

namespace Jackdaw.Indexing.Queries;

/// <summary>A part of the query cannot stand where it does: a method that does not exist, an argument of the wrong kind.</summary>
public sealed class QueryArgumentException : QueryException
{
    internal QueryArgumentException(string message, RqlPosition position)
        : base($"{message} ({position}).", position) { }
}
