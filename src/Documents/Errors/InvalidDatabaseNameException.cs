namespace Jackdaw.Documents.Errors;

/// <summary>A database name breaks the rules; the message says which.</summary>
public sealed class InvalidDatabaseNameException : Exception
{
    /// <summary>Creates the error; the message names the rule.</summary>
    public InvalidDatabaseNameException(string message)
        : base(message) { }
}
