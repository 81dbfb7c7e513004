using Jackdaw.Indexing.Rql;

namespace Jackdaw.Indexing;

/// <summary>A query that cannot be answered, for a reason that lies in the query: its text, its parameters or what it asks for.</summary>
public abstract class QueryException : Exception
{
    private protected QueryException(string message, RqlPosition position)
        : base(message) => Position = position;

    /// <summary>Where in the query's text the reason lies.</summary>
    public RqlPosition Position { get; }
}
