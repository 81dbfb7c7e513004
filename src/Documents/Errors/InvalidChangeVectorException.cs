namespace Jackdaw.Documents.Errors;

/// <summary>An expected change vector is not of the form <c>A:12-databaseId[, B:…]</c>.</summary>
public sealed class InvalidChangeVectorException : OperationException
{
    /// <summary>Creates the error for a text that is no change vector.</summary>
    public InvalidChangeVectorException(string given)
        : base($"'{given}' is not a change vector (expected 'A:<etag>-<database id>', several joined by ', ').") => Given = given;

    /// <summary>The text as the caller gave it.</summary>
    public string Given { get; }
}
