namespace Jackdaw.Storage.Errors;

/// <summary>A journal write failed: this transaction, or one it was built on, may or may not be replayed by the next recovery.</summary>
public sealed class CommitOutcomeUnknownException : StorageException
{
    /// <summary>Creates the error for a transaction, with the failed write.</summary>
    public CommitOutcomeUnknownException(long transactionId, Exception cause)
        : base($"The outcome of transaction {transactionId} is unknown: {cause.Message}", cause) => TransactionId = transactionId;

    /// <summary>The transaction that may or may not be replayed.</summary>
    public long TransactionId { get; }
}
