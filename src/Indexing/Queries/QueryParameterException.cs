using Jackdaw.Indexing.Rql;

namespace Jackdaw.Indexing.Queries;

/// <summary>A parameter of the query is missing, or its value is not of a kind that can stand there.</summary>
public sealed class QueryParameterException : QueryException
{
    internal QueryParameterException(string message, RqlPosition position)
        : base($"{message} ({position}).", position) { }
}
