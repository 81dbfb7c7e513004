namespace Jackdaw.Simulation.Workloads;

/// <summary>The model of a page: a pattern, over which single cells have been changed.</summary>
/// <param name="Run">Pages; more than 1: an overflow run, without cells.</param>
/// <param name="PayloadBytes">Bytes after the header.</param>
/// <param name="Pattern">Of the payload.</param>
/// <param name="Cells">Values laid over it, 8 bytes each, 500 bytes apart; 0: not changed.</param>
internal sealed record RawPage(int Run, int PayloadBytes, uint Pattern, ulong[] Cells);
