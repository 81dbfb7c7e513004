namespace Jackdaw.Documents.Errors;

/// <summary>The database could not be opened (damage, another format, no access); the cause says why. Others are not affected.</summary>
public sealed class DatabaseLoadException : DatabaseUnavailableException
{
    /// <summary>Creates the error for a database by name, with the reason why it cannot be opened.</summary>
    public DatabaseLoadException(string database, Exception cause)
        : base(database, $"Database '{database}' could not be opened: {cause.Message}", cause) { }
}
