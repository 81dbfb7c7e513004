namespace Jackdaw.Storage.Journal;

/// <summary>What a record says of itself, once its checksums held.</summary>
/// <param name="Span">The transactions that it covers.</param>
/// <param name="PageEntries">Entries in the payload.</param>
/// <param name="StoredBytes">Payload bytes in the file.</param>
/// <param name="PayloadBytes">Payload bytes once uncompressed.</param>
/// <param name="CommitTicks">When it was made (UTC ticks).</param>
internal readonly record struct RecordHeader(RecordSpan Span, int PageEntries, long StoredBytes, long PayloadBytes, long CommitTicks);
