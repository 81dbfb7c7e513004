namespace Jackdaw.Documents.Errors;

/// <summary>The database could not be opened (damage, another format, no access); the cause says why. Others are not affected.</summary>
public sealed class DatabaseLoadException : DatabaseUnavailableException
{
    public DatabaseLoadException(string database, Exception cause)
        : base(database, $"Database '{database}' could not be opened: {cause.Message}", cause) { }
}
