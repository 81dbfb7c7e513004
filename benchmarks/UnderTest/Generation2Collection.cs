namespace Jackdaw.Bench.UnderTest;

/// <summary>A collection of generation 2 in the server's process.</summary>
/// <param name="Index">Its number among all collections of the process.</param>
/// <param name="PauseMs">The longest time for which it stopped all threads.</param>
internal readonly record struct Generation2Collection(long Index, double PauseMs);
