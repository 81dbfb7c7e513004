namespace Jackdaw.Storage.Compaction;

/// <summary>How far a compaction is.</summary>
/// <param name="Structure">The structure that is being copied.</param>
/// <param name="EntriesCopied">Entries copied so far, of all structures that have a name.</param>
/// <param name="EntriesTotal">Entries of all structures that have a name.</param>
/// <param name="BytesCopied">Bytes of keys and values copied so far, those of embedded structures too.</param>
public sealed record CompactionProgress(string Structure, long EntriesCopied, long EntriesTotal, long BytesCopied);
