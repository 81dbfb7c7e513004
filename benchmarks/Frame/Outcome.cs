namespace Jackdaw.Bench.Frame;

/// <summary>How a contender came out of a benchmark.</summary>
/// <param name="Name">The contender.</param>
/// <param name="Samples">One a round; empty when it was absent.</param>
/// <param name="Absent">Why it could not run here, or null.</param>
/// <param name="Failure">The error that ended it, or null.</param>
internal sealed record Outcome(string Name, IReadOnlyList<Sample> Samples, string? Absent, string? Failure)
{
    public IEnumerable<Metric> Metrics => Samples.SelectMany(s => s.Values).Select(v => v.Key).Distinct();

    /// <summary>Median, lowest and highest of the metric, or null if no run measured it.</summary>
    public Spread? SpreadOf(Metric metric)
    {
        double[] values = [.. Samples.SelectMany(s => s.Values).Where(v => v.Key == metric).Select(v => v.Value)];
        return values.Length == 0 ? null : Spread.Of(values);
    }
}
