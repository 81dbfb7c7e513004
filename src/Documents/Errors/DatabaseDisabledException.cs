namespace Jackdaw.Documents.Errors;

/// <summary>The database is disabled until someone enables it.</summary>
public sealed class DatabaseDisabledException : DatabaseUnavailableException
{
    /// <summary>Creates the error for a database by name.</summary>
    public DatabaseDisabledException(string database)
        : base(database, $"Database '{database}' is disabled; enable it first.") { }
}
