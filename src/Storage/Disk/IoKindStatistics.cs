namespace Jackdaw.Storage.Disk;

/// <summary>The operations of one kind since the disk was opened.</summary>
public sealed record IoKindStatistics
{
    /// <summary>Buckets of <see cref="Histogram"/>; the last also holds everything longer (18 minutes).</summary>
    public const int Buckets = 32;

    /// <summary>What is counted.</summary>
    public required IoKind Kind { get; init; }

    /// <summary>Number of operations.</summary>
    public required long Count { get; init; }

    /// <summary>How many of them ended in an error.</summary>
    public required long Failures { get; init; }

    /// <summary>Bytes transferred or covered by those that succeeded.</summary>
    public required long Bytes { get; init; }

    /// <summary>Time within them, added up.</summary>
    public required TimeSpan Time { get; init; }

    /// <summary>The longest operation.</summary>
    public required TimeSpan Longest { get; init; }

    /// <summary>Operations by time: bucket 0 under one microsecond, bucket <c>i</c> from 2^(i-1) to under 2^i microseconds.</summary>
    public required IReadOnlyList<long> Histogram { get; init; }

    /// <summary>The time that the given share (0 to 1) of operations stayed under: the upper bound of its bucket; zero when there
    /// were none.</summary>
    public TimeSpan Quantile(double share)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(share);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(share, 1);
        var total = Histogram.Sum();
        var passed = 0L;
        for (var i = 0; total > 0 && i < Histogram.Count; i++)
        {
            passed += Histogram[i];
            if (passed >= share * total)
                return TimeSpan.FromMicroseconds(1L << i);
        }
        return TimeSpan.Zero;
    }
}
