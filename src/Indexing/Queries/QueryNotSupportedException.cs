using Jackdaw.Indexing.Rql;

namespace Jackdaw.Indexing.Queries;

/// <summary>The query is right, but asks for something that this version cannot do. The message says what and where.</summary>
public sealed class QueryNotSupportedException : QueryException
{
    internal QueryNotSupportedException(string what, RqlPosition position)
        : base($"Not supported yet: {what} ({position}).", position) => What = what;

    /// <summary>What is not supported, in words.</summary>
    public string What { get; }
}
