namespace Jackdaw.Etl.Configuration;

/// <summary>A connection string uses something that is the server's, and whoever gives it may not lend that.</summary>
public sealed class BorrowingException : Exception
{
    /// <summary>Creates the error.</summary>
    /// <param name="what">The member and what it borrows.</param>
    public BorrowingException(string what)
        : base($"A connection string with {what}")
    {
        What = what;
    }

    /// <summary>The member and what it borrows.</summary>
    public string What { get; }
}
