namespace Jackdaw.Documents.Errors;

/// <summary>No database has this name, or it is being deleted.</summary>
public sealed class DatabaseDoesNotExistException : DatabaseUnavailableException
{
    public DatabaseDoesNotExistException(string database)
        : base(database, $"Database '{database}' does not exist.") { }
}
