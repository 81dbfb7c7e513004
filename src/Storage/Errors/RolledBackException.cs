namespace Jackdaw.Storage.Errors;

/// <summary>
/// Thrown by a commit, and by a wait for durability, in a lazily durable environment whose journal could not be written: everything since
/// the last durable state was taken back. The transaction left no trace; a new one begins on that state.
/// </summary>
public sealed class RolledBackException(string environment, long transactionId, Exception cause)
    : StorageException($"'{environment}' was rolled back to transaction {transactionId}, its last durable state: {cause.Message}", cause)
{
    /// <summary>The transaction that the environment stands at now, or stood at right after the roll back.</summary>
    public long TransactionId { get; } = transactionId;
}
