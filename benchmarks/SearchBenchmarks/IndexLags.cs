using System.Diagnostics;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.SearchBenchmarks;

/// <summary>How long writes waited for the indexes.</summary>
internal static class IndexLags
{
    /// <summary>
    /// The time from each acknowledgement to the first look at which all indexes had the write; none where they had it before the
    /// acknowledgement was there.
    /// </summary>
    /// <param name="writes">By etag.</param>
    /// <param name="positions">By time; the last one has all writes.</param>
    public static LatencyHistogram Of(IEnumerable<AcknowledgedWrite> writes, IReadOnlyList<IndexPosition> positions)
    {
        var lags = new LatencyHistogram();
        int look = 0;
        foreach (AcknowledgedWrite write in writes)
        {
            while (look < positions.Count && positions[look].Etag < write.Etag)
                look++;
            if (look == positions.Count)
                throw new ArgumentException($"no look has seen the etag {write.Etag} in the indexes", nameof(positions));
            long lag = Math.Max(0, positions[look].At - write.At);
            lags.Record((long)(lag * (1e9 / Stopwatch.Frequency)));
        }
        return lags;
    }

    /// <summary>The most writes that were acknowledged and not yet indexed at a look.</summary>
    /// <param name="writes">Any order.</param>
    /// <param name="positions">By time.</param>
    public static long MostBehind(IEnumerable<AcknowledgedWrite> writes, IReadOnlyList<IndexPosition> positions)
    {
        long most = 0,
            highest = 0;
        int look = 0;
        foreach (AcknowledgedWrite write in writes.OrderBy(write => write.At))
        {
            for (; look < positions.Count && positions[look].At < write.At; look++)
                most = Math.Max(most, highest - positions[look].Etag);
            highest = Math.Max(highest, write.Etag);
        }
        return most;
    }
}
