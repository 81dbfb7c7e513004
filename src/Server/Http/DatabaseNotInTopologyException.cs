namespace Jackdaw.Server.Http;

/// <summary>
/// The topology of a database that does not exist was asked for; answered with 503 and the header <c>Database-Missing</c>. Not
/// with 404, as everywhere else: the
/// clients take a 404 there for an empty topology and go on, and only a failed node makes them read the header.
/// </summary>
public sealed class DatabaseNotInTopologyException : Exception
{
    /// <summary>Creates the error for a database by name.</summary>
    public DatabaseNotInTopologyException(string database)
        : base($"Database '{database}' does not exist.") => Database = database;

    /// <summary>The name of the database.</summary>
    public string Database { get; }
}
