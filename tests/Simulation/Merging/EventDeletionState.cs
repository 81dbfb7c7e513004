namespace Jackdaw.Simulation.Merging;

/// <summary>A deletion whose rows are not all removed.</summary>
internal sealed record EventDeletionState(long Etag, string Stream, long To, long Ticks);
