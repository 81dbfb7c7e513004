namespace Jackdaw.Documents.Errors;

/// <summary>A document id is empty, over 512 bytes, holds control characters or is no text.</summary>
public sealed class InvalidDocumentIdException : OperationException
{
    /// <summary>Creates the error; the message names the rule.</summary>
    public InvalidDocumentIdException(string message)
        : base(message) { }
}
