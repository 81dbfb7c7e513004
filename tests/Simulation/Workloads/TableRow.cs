namespace Jackdaw.Simulation.Workloads;

/// <summary>The model of a row: its number in the order of changes, its group, and the rest.</summary>
internal readonly record struct TableRow(long Etag, byte Group, Stored Rest)
{
    public const int HeaderBytes = 9;
}
