using System.Diagnostics;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.Load;

/// <summary>What <see cref="OrderPuts"/> saw.</summary>
/// <param name="Latencies">One a PUT.</param>
/// <param name="Seconds">From the first to the last.</param>
/// <param name="Writes">By etag.</param>
/// <param name="Start">When it began: <see cref="Stopwatch.GetTimestamp"/>.</param>
/// <param name="NextNew">The first number of an order that was not written.</param>
internal sealed record OrderPutsResult(
    LatencyHistogram Latencies,
    double Seconds,
    IReadOnlyList<AcknowledgedWrite> Writes,
    long Start,
    long NextNew
)
{
    /// <summary>The writes that were acknowledged between two parts of the run's length.</summary>
    public IEnumerable<AcknowledgedWrite> Between(TimeSpan duration, double from, double to)
    {
        long first = Start + (long)(from * duration.TotalSeconds * Stopwatch.Frequency);
        long last = Start + (long)(to * duration.TotalSeconds * Stopwatch.Frequency);
        return Writes.Where(write => write.At >= first && write.At < last);
    }
}
