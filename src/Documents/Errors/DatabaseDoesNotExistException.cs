namespace Jackdaw.Documents.Errors;

/// <summary>No database has this name, or it is being deleted.</summary>
public sealed class DatabaseDoesNotExistException : DatabaseUnavailableException
{
    /// <summary>Creates the error for a database by name.</summary>
    public DatabaseDoesNotExistException(string database)
        : base(database, $"Database '{database}' does not exist.") { }
}
