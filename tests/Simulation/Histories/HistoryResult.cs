namespace Jackdaw.Simulation.Histories;

/// <summary>A history that went well.</summary>
/// <param name="Seed">It came from.</param>
/// <param name="Hash">Over everything that happened.</param>
/// <param name="Counts">How often each thing happened that the simulation is there to make happen.</param>
public sealed record HistoryResult(ulong Seed, ulong Hash, HistoryCounts Counts);
