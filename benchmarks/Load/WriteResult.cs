using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.Load;

/// <summary>What writers in this process saw: one latency a put, and the time from the first to the last.</summary>
internal sealed record WriteResult(LatencyHistogram Latencies, double Seconds)
{
    public double Rate => Latencies.Count / Seconds;
}
