namespace Jackdaw.Documents.EventStreams;

/// <summary>What is known of a stream.</summary>
/// <param name="Number">From 1, in the order of first appends.</param>
/// <param name="Highest">The highest number ever stored.</param>
/// <param name="DeletedUpTo">Events up to this number are deleted; 0: none is.</param>
public readonly record struct StoredStream(long Number, long Highest, long DeletedUpTo);
