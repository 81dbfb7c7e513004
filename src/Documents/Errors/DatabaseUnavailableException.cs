namespace Jackdaw.Documents.Errors;

/// <summary>The database cannot be used at present; the kinds say why.</summary>
public abstract class DatabaseUnavailableException : Exception
{
    /// <summary>Creates the error for a database by name.</summary>
    protected DatabaseUnavailableException(string database, string message, Exception? inner = null)
        : base(message, inner) => Database = database;

    /// <summary>The name as asked for.</summary>
    public string Database { get; }
}
