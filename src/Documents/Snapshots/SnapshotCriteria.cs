namespace Jackdaw.Documents.Snapshots;

/// <summary>Bounds on snapshots, all inclusive.</summary>
/// <param name="MinNumber">The lowest number, at least 0.</param>
/// <param name="MaxNumber">The highest number.</param>
/// <param name="MinTicks">The earliest time, UTC ticks.</param>
/// <param name="MaxTicks">The latest time, UTC ticks.</param>
public readonly record struct SnapshotCriteria(long MinNumber, long MaxNumber, long MinTicks, long MaxTicks)
{
    /// <summary>Every snapshot is within these.</summary>
    public static SnapshotCriteria All { get; } = new(0, long.MaxValue, 0, long.MaxValue);

    /// <summary>Whether a time is within the bounds.</summary>
    public bool FitsTicks(long ticks) => MinTicks <= ticks && ticks <= MaxTicks;
}
