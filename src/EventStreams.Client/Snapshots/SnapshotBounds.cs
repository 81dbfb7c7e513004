using System.Globalization;

namespace Jackdaw.EventStreams.Client.Snapshots;

/// <summary>Which snapshots of a stream are meant. All bounds are inclusive.</summary>
public readonly record struct SnapshotBounds()
{
    /// <summary>The lowest number.</summary>
    public long MinNumber { get; init; } = 0;

    /// <summary>The highest number.</summary>
    public long MaxNumber { get; init; } = long.MaxValue;

    /// <summary>The lowest time, UTC ticks.</summary>
    public long MinTicks { get; init; } = 0;

    /// <summary>The highest time, UTC ticks.</summary>
    public long MaxTicks { get; init; } = long.MaxValue;

    internal string Query() =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"&minNumber={MinNumber}&maxNumber={MaxNumber}&minTicks={MinTicks}&maxTicks={MaxTicks}"
        );
}
