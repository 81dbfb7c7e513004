namespace Jackdaw.Etl;

/// <summary>A task was removed.</summary>
/// <param name="Remains">What of it stays at its receiver, why, and what a person can do about it; null: nothing does.</param>
public sealed record EtlTaskRemoval(string? Remains);
