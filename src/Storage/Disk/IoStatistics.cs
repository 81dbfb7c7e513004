using System.Diagnostics;
using System.Numerics;

namespace Jackdaw.Storage.Disk;

/// <summary>Counts and times the operations of a <see cref="MeteredDisk"/> by kind. Lock-free; readable at any time.</summary>
public sealed class IoStatistics
{
    private static readonly int KindCount = Enum.GetValues<IoKind>().Length;

    // One block of counters a kind: count, failures, bytes, ticks, longest ticks, then the histogram. A multiple of 8 longs: no
    // kind shares a cache line with another.
    private const int Count = 0;
    private const int Failures = 1;
    private const int Bytes = 2;
    private const int Ticks = 3;
    private const int LongestTicks = 4;
    private const int Histogram = 8;
    private const int Stride = Histogram + IoKindStatistics.Buckets;

    private readonly long[] _counters = new long[KindCount * Stride];

    /// <summary>Adds one finished operation.</summary>
    /// <param name="kind">What it was for.</param>
    /// <param name="bytes">Bytes transferred or covered; 0 where that means nothing.</param>
    /// <param name="elapsedTicks"><see cref="Stopwatch"/> ticks.</param>
    /// <param name="failed">It ended in an exception.</param>
    internal void Add(IoKind kind, long bytes, long elapsedTicks, bool failed)
    {
        var start = (int)kind * Stride;
        Interlocked.Increment(ref _counters[start + Count]);
        if (failed)
            Interlocked.Increment(ref _counters[start + Failures]);
        else
            Interlocked.Add(ref _counters[start + Bytes], bytes);
        Interlocked.Add(ref _counters[start + Ticks], elapsedTicks);
        Interlocked.Increment(ref _counters[start + Histogram + BucketOf(Microseconds(elapsedTicks))]);
        ref var longest = ref _counters[start + LongestTicks];
        long seen;
        while (elapsedTicks > (seen = Volatile.Read(ref longest)))
            Interlocked.CompareExchange(ref longest, elapsedTicks, seen);
    }

    /// <summary>The figures of one kind. Each is exact; operations that end meanwhile may be in some and not yet in others.</summary>
    public IoKindStatistics Snapshot(IoKind kind)
    {
        var start = (int)kind * Stride;
        var histogram = new long[IoKindStatistics.Buckets];
        for (var i = 0; i < histogram.Length; i++)
            histogram[i] = Volatile.Read(ref _counters[start + Histogram + i]);
        return new IoKindStatistics
        {
            Kind = kind,
            Count = Volatile.Read(ref _counters[start + Count]),
            Failures = Volatile.Read(ref _counters[start + Failures]),
            Bytes = Volatile.Read(ref _counters[start + Bytes]),
            Time = Stopwatch.GetElapsedTime(0, Volatile.Read(ref _counters[start + Ticks])),
            Longest = Stopwatch.GetElapsedTime(0, Volatile.Read(ref _counters[start + LongestTicks])),
            Histogram = histogram,
        };
    }

    /// <summary>The figures of every kind that has occurred.</summary>
    public IReadOnlyList<IoKindStatistics> Snapshot() => [.. Enum.GetValues<IoKind>().Select(Snapshot).Where(figures => figures.Count > 0)];

    private static long Microseconds(long ticks) => ticks * 1_000_000 / Stopwatch.Frequency;

    private static int BucketOf(long microseconds) =>
        Math.Min(64 - BitOperations.LeadingZeroCount((ulong)microseconds), IoKindStatistics.Buckets - 1);
}
