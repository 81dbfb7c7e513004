namespace Jackdaw.Server.Http;

/// <summary>A request names an index that the database does not have.</summary>
public sealed class IndexNotFoundException : Exception
{
    /// <summary>Creates the error.</summary>
    public IndexNotFoundException(string index, string database)
        : base($"There is no index '{index}' in the database '{database}'.") { }

    /// <summary>Creates the error.</summary>
    /// <param name="index">The name that was asked for.</param>
    /// <param name="database">The database.</param>
    /// <param name="more">Who asked, and what follows.</param>
    public IndexNotFoundException(string index, string database, string more)
        : base($"There is no index '{index}' in the database '{database}'. {more}") { }
}
