namespace Jackdaw.Documents.Errors;

/// <summary>A database of this name exists already (or is being created or deleted), or its record has moved on since the etag
/// given.</summary>
public sealed class DatabaseExistsException : Exception
{
    public DatabaseExistsException(string database, string message)
        : base(message) => Database = database;

    public string Database { get; }
}
