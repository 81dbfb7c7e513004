namespace Jackdaw.Indexing.Processes;

/// <summary>A batch of an index that was committed.</summary>
/// <param name="Number">1 for the first since the database was opened.</param>
/// <param name="StartedAtTicks">UTC ticks.</param>
/// <param name="Mapping">The time of reading and mapping.</param>
/// <param name="Applying">The time of applying and committing.</param>
/// <param name="Documents">Documents that were mapped, failed ones included.</param>
/// <param name="Failures">Documents that failed.</param>
/// <param name="Deletions">Deletions that were applied.</param>
/// <param name="Bytes">Memory that the collected changes took.</param>
/// <param name="Position">The position that it was committed with.</param>
public sealed record IndexBatchRecord(
    long Number,
    long StartedAtTicks,
    TimeSpan Mapping,
    TimeSpan Applying,
    int Documents,
    int Failures,
    int Deletions,
    long Bytes,
    long Position
);
