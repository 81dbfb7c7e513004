namespace Jackdaw.Documents.Errors;

/// <summary>What was sent as a document is not one: malformed or too deeply nested JSON, not an object, metadata of the wrong shape.</summary>
public sealed class InvalidDocumentException : OperationException
{
    public InvalidDocumentException(string message, Exception? inner = null) : base(message, inner) { }
}
