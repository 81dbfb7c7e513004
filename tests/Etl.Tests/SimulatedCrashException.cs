namespace Jackdaw.Etl.Tests;

/// <summary>The process ends here: whatever was in memory is gone.</summary>
public sealed class SimulatedCrashException(string where) : Exception($"A crash at {where}.");
