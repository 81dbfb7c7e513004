using Jackdaw.Storage.Errors;

namespace Jackdaw.Documents.Errors;

/// <summary>An operation changes more than one transaction may hold (the deletion of very many documents at once, say). Do it in
/// parts.</summary>
public sealed class OperationTooLargeException : OperationException
{
    /// <summary>Creates the error from the limit that the transaction met.</summary>
    public OperationTooLargeException(LimitExceededException cause)
        : base($"The operation changes more than one transaction may hold; do it in smaller parts. {cause.Message}", cause) { }
}
