using System.Text.Json;

namespace Jackdaw.Bench.Frame;

/// <summary>Writes the results, every single run included, as one JSON file.</summary>
internal static class ReportJson
{
    private static readonly JsonSerializerOptions Options = new() { WriteIndented = true };

    public static void Write(string file, MachineDescription machine, RunSettings settings, IReadOnlyList<BenchmarkResult> results)
    {
        var report = new
        {
            Machine = machine,
            settings.Quick,
            Benchmarks = results.Select(r => new
            {
                r.Benchmark.Group,
                r.Benchmark.Name,
                r.Benchmark.Measures,
                Sizes = r.Benchmark.Sizes(r.Settings),
                r.Runs,
                ElapsedSeconds = r.Elapsed.TotalSeconds,
                Contenders = r.Outcomes.Select(o => new
                {
                    o.Name,
                    o.Absent,
                    o.Failure,
                    Metrics = o.Metrics.Select(m => DescribeMetric(o, m)),
                }),
                Targets = r.Benchmark.Targets.Select(t => DescribeTarget(t, t.Measure(r))),
            }),
        };
        File.WriteAllBytes(file, JsonSerializer.SerializeToUtf8Bytes(report, Options));
    }

    private static object DescribeMetric(Outcome outcome, Metric metric)
    {
        Spread spread = outcome.SpreadOf(metric)!.Value;
        return new
        {
            metric.Name,
            metric.Unit,
            spread.Median,
            spread.Min,
            spread.Max,
            Runs = outcome.Samples.SelectMany(s => s.Values).Where(v => v.Key == metric).Select(v => v.Value),
        };
    }

    private static object DescribeTarget(Target target, double? measured) =>
        new
        {
            target.Text,
            target.Limit,
            target.AtLeast,
            Measured = measured,
            Reached = measured is { } value ? target.IsReachedBy(value) : (bool?)null,
        };
}
