namespace Jackdaw.Documents.Errors;

/// <summary>A database of this name exists already (or is being created or deleted), or its record has moved on since the etag
/// given.</summary>
public sealed class DatabaseExistsException : Exception
{
    /// <summary>Creates the error for a database by name; the message says what holds the name.</summary>
    public DatabaseExistsException(string database, string message)
        : base(message) => Database = database;

    /// <summary>The name that is taken.</summary>
    public string Database { get; }
}
