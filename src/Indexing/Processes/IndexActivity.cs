namespace Jackdaw.Indexing.Processes;

/// <summary>What an index has done since its database was opened, as far as that is known without reading anything.</summary>
/// <param name="MapAttempts">Documents that were mapped, failed ones included.</param>
/// <param name="MapErrors">Documents that failed.</param>
/// <param name="Deletions">Deletions that were applied.</param>
/// <param name="Batches">Batches that were committed.</param>
/// <param name="Errors">Error records that are kept.</param>
/// <param name="MemoryBytes">Memory that its batch and its environment hold at this moment.</param>
public readonly record struct IndexActivity(long MapAttempts, long MapErrors, long Deletions, long Batches, int Errors, long MemoryBytes);
