namespace Jackdaw.Documents.Errors;

/// <summary>A document id is empty, is longer than 512 bytes, contains the character NUL or is not valid text.</summary>
public sealed class InvalidDocumentIdException : OperationException
{
    /// <summary>Creates the error; the message names the rule.</summary>
    public InvalidDocumentIdException(string message)
        : base(message) { }
}
