namespace Jackdaw.Bench.Load;

/// <summary>What a load generator saw. Latencies in milliseconds.</summary>
internal sealed record HttpLoadResult(long Requests, double Rate, double P50Ms, double P99Ms, double P999Ms, double MaxMs)
{
    public Frame.Sample ToSample() =>
        new Frame.Sample()
            .With(Frame.Metric.Rate, Rate)
            .With(Frame.Metric.P50, P50Ms)
            .With(Frame.Metric.P99, P99Ms)
            .With(Frame.Metric.P999, P999Ms)
            .With(Frame.Metric.Max, MaxMs);
}
