using System.Diagnostics;
using System.Numerics;

namespace Jackdaw.Bench.Measurement;

/// <summary>
/// Counts latencies in buckets of equal relative width (1/128 of a power of two, so a percentile is off by at most 0.8%), from
/// a nanosecond to hours. One thread records; histograms of several are merged.
/// </summary>
internal sealed class LatencyHistogram
{
    private const int SubBits = 7;
    private const int SubBuckets = 1 << SubBits;
    private readonly long[] _counts = new long[(64 - SubBits) * SubBuckets];

    public long Count { get; private set; }

    private long MaxNs { get; set; }

    public double MaxMs => MaxNs / 1e6;

    /// <summary>Records the time since a <see cref="Stopwatch.GetTimestamp"/>.</summary>
    public void RecordSince(long startTimestamp) =>
        Record((long)((Stopwatch.GetTimestamp() - startTimestamp) * (1e9 / Stopwatch.Frequency)));

    public void Record(long nanoseconds)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(nanoseconds);
        _counts[IndexOf(nanoseconds)]++;
        Count++;
        MaxNs = Math.Max(MaxNs, nanoseconds);
    }

    public void Add(LatencyHistogram other)
    {
        for (int i = 0; i < _counts.Length; i++)
            _counts[i] += other._counts[i];
        Count += other.Count;
        MaxNs = Math.Max(MaxNs, other.MaxNs);
    }

    public static LatencyHistogram Merge(IEnumerable<LatencyHistogram> parts)
    {
        var all = new LatencyHistogram();
        foreach (LatencyHistogram part in parts)
            all.Add(part);
        return all;
    }

    /// <summary>The latency that <paramref name="percent"/> of the operations did not exceed, in milliseconds.</summary>
    public double PercentileMs(double percent)
    {
        if (Count == 0)
            throw new InvalidOperationException("no operation was measured");
        long rank = Math.Max(1, (long)Math.Ceiling(Count * percent / 100));
        long seen = 0;
        for (int i = 0; i < _counts.Length; i++)
        {
            seen += _counts[i];
            if (seen >= rank)
                return Math.Min(HighestOf(i), MaxNs) / 1e6;
        }
        return MaxMs;
    }

    // Values below 128 have a bucket each. Above, the highest set bit chooses the power of two and the seven bits below it the bucket.
    private static int IndexOf(long value)
    {
        if (value < SubBuckets)
            return (int)value;
        int shift = BitOperations.Log2((ulong)value) - SubBits;
        return (shift + 1) * SubBuckets + (int)(value >> shift) - SubBuckets;
    }

    private static long HighestOf(int index)
    {
        if (index < SubBuckets)
            return index;
        int shift = index / SubBuckets - 1;
        return ((long)(index % SubBuckets + SubBuckets + 1) << shift) - 1;
    }
}
