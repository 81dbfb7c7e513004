namespace Jackdaw.Indexing.Processes;

/// <summary>What one batch of an index came to.</summary>
/// <param name="RebuildReason">Why the index must be built again, and nothing was done; null: it need not.</param>
/// <param name="Committed">What was committed; null: nothing, for there was nothing to see.</param>
/// <param name="IsAtEnd">The end of changes was met.</param>
/// <param name="SeenUpTo">The last etag of the documents in the moment in which the end was met.</param>
internal readonly record struct FollowedBatch(string? RebuildReason, IndexBatchRecord? Committed, bool IsAtEnd, long SeenUpTo);
