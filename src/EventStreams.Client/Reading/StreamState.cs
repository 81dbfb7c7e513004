namespace Jackdaw.EventStreams.Client.Reading;

/// <summary>How far a stream goes.</summary>
/// <param name="Highest">The highest number ever stored; 0 for an unknown stream.</param>
/// <param name="DeletedUpTo">The number up to which its events are deleted; 0: nothing is.</param>
public readonly record struct StreamState(long Highest, long DeletedUpTo);
