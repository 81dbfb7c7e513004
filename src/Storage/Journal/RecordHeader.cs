namespace Jackdaw.Storage.Journal;

/// <summary>What a record says of itself, once its checksums held.</summary>
/// <param name="TransactionId">The transaction that the record is.</param>
/// <param name="PageEntries">Entries in the payload.</param>
/// <param name="StoredBytes">Payload bytes in the file.</param>
/// <param name="PayloadBytes">Payload bytes once uncompressed.</param>
/// <param name="CommitTicks">When it was committed (UTC ticks).</param>
internal readonly record struct RecordHeader(long TransactionId, int PageEntries, long StoredBytes, long PayloadBytes, long CommitTicks);
