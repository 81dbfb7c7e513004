namespace Jackdaw.Indexing.Processes;

/// <summary>Something that happened to an index.</summary>
/// <param name="Index">Its name.</param>
/// <param name="Kind">What.</param>
/// <param name="Position">Its position then.</param>
public readonly record struct IndexChange(string Index, IndexChangeKind Kind, long Position);
