namespace Jackdaw.Bench.Frame;

/// <summary>What one run of one contender measured. Keeps the order in which the metrics were added.</summary>
internal sealed class Sample
{
    private readonly List<KeyValuePair<Metric, double>> _values = [];

    public IReadOnlyList<KeyValuePair<Metric, double>> Values => _values;

    public Sample With(Metric metric, double value)
    {
        if (!double.IsFinite(value))
            throw new ArgumentOutOfRangeException(nameof(value), value, $"{metric.Name} is not a number");
        _values.Add(new(metric, value));
        return this;
    }

    /// <summary>Adds p50, p99, p99.9 and the maximum of the histogram, in milliseconds.</summary>
    public Sample With(Measurement.LatencyHistogram latencies) =>
        this.With(Metric.P50, latencies.PercentileMs(50))
            .With(Metric.P99, latencies.PercentileMs(99))
            .With(Metric.P999, latencies.PercentileMs(99.9))
            .With(Metric.Max, latencies.MaxMs);
}
