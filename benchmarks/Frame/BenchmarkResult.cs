namespace Jackdaw.Bench.Frame;

/// <summary>Everything one benchmark brought out.</summary>
internal sealed record BenchmarkResult(
    Benchmark Benchmark,
    RunSettings Settings,
    int Runs,
    IReadOnlyList<Outcome> Outcomes,
    TimeSpan Elapsed
)
{
    public bool HasFailures => Outcomes.Any(o => o.Failure is not null);

    /// <summary>The contender's median of the metric, or null when it did not run or did not measure it.</summary>
    public double? Median(string contender, Metric metric) => Outcomes.FirstOrDefault(o => o.Name == contender)?.SpreadOf(metric)?.Median;
}
