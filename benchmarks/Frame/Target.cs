namespace Jackdaw.Bench.Frame;

/// <summary>A figure to reach, worked out from the medians of one benchmark.</summary>
/// <param name="Text">The figure in words, with its limit.</param>
/// <param name="Limit">The value to reach or to stay under.</param>
/// <param name="AtLeast">True: the measured value must be at least the limit; false: at most.</param>
/// <param name="Format">Writes a measured value.</param>
/// <param name="Measure">The measured value from the medians, or null when a party to it did not run.</param>
internal sealed record Target(string Text, double Limit, bool AtLeast, Func<double, string> Format, Func<BenchmarkResult, double?> Measure)
{
    /// <summary>True where a quick run is too short to judge it.</summary>
    public bool NeedsFullRun { get; init; }

    private static readonly Metric Times = new("ratio", "×", 2);

    /// <summary>The contender's median is at least <paramref name="limit"/> times the best median among the peers.</summary>
    public static Target RatioAtLeast(string contender, double limit, Metric metric, params string[] peers) =>
        new(
            $"{contender}: {metric.Name} at least {limit:0.##} × {(peers.Length > 1 ? "the best of " : "")}{string.Join(" and ", peers)}",
            limit,
            AtLeast: true,
            FormatRatio,
            result => Divide(result.Median(contender, metric), Best(result, metric, peers))
        );

    /// <summary>The contender's median is at most <paramref name="limit"/> times the peer's.</summary>
    public static Target RatioAtMost(string contender, double limit, Metric metric, string peer) =>
        new(
            $"{contender}: {metric.Name} at most {limit:0.##} × {peer}",
            limit,
            AtLeast: false,
            FormatRatio,
            result => Divide(result.Median(contender, metric), result.Median(peer, metric))
        );

    /// <summary>The contender's median is at most <paramref name="limit"/> above the peer's, in the metric's unit.</summary>
    public static Target AboveAtMost(string contender, Metric metric, double limit, string peer) =>
        new(
            $"{contender}: {metric.Name} at most {metric.Format(limit, withUnit: true)} above {peer}",
            limit,
            AtLeast: false,
            value => metric.Format(value, withUnit: true),
            result => result.Median(contender, metric) - result.Median(peer, metric)
        );

    /// <summary>One metric of a contender is at most <paramref name="limit"/> times another of its metrics.</summary>
    public static Target WithinAtMost(string contender, Metric metric, double limit, Metric of) =>
        new(
            $"{contender}: {metric.Name} at most {limit:0.##} × its {of.Name}",
            limit,
            AtLeast: false,
            FormatRatio,
            result => Divide(result.Median(contender, metric), result.Median(contender, of))
        );

    public static Target ValueAtLeast(string contender, Metric metric, double limit) =>
        new(
            $"{contender}: {metric.Name} at least {metric.Format(limit, withUnit: true)}",
            limit,
            AtLeast: true,
            value => metric.Format(value, withUnit: true),
            result => result.Median(contender, metric)
        );

    public static Target ValueAtMost(string contender, Metric metric, double limit) =>
        new(
            $"{contender}: {metric.Name} at most {metric.Format(limit, withUnit: true)}",
            limit,
            AtLeast: false,
            value => metric.Format(value, withUnit: true),
            result => result.Median(contender, metric)
        );

    public bool IsReachedBy(double measured) => AtLeast ? measured >= Limit : measured <= Limit;

    private static string FormatRatio(double value) => Times.Format(value, withUnit: true);

    private static double? Best(BenchmarkResult result, Metric metric, string[] peers) => peers.Select(p => result.Median(p, metric)).Max();

    private static double? Divide(double? value, double? by) => by is > 0 ? value / by : null;
}
