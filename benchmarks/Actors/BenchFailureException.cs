namespace Jackdaw.Bench.Actors;

/// <summary>A journal did not do what was asked of it.</summary>
internal sealed class BenchFailureException(string message) : Exception(message);
