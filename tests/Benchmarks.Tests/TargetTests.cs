using Jackdaw.Bench.Frame;
using Xunit;

namespace Jackdaw.Bench.Tests;

public class TargetTests
{
    [Fact]
    public void A_ratio_is_taken_of_medians_and_against_the_best_peer()
    {
        Target target = Target.RatioAtLeast("ours", 2, Metric.Rate, "slow", "fast");
        BenchmarkResult result = Result(("ours", [90, 100, 5_000]), ("slow", [10]), ("fast", [40, 50]));

        double? measured = target.Measure(result);

        Assert.Equal(100 / 45.0, measured!.Value, 9);
        Assert.True(target.IsReachedBy(measured.Value));
        Assert.False(target.IsReachedBy(1.99));
    }

    [Fact]
    public void Without_its_peer_a_ratio_is_not_measured()
    {
        Target target = Target.RatioAtMost("ours", 2, Metric.Rate, "peer");

        Assert.Null(target.Measure(Result(("ours", [1]), ("peer", []))));
    }

    [Fact]
    public void One_metric_is_held_against_another_of_the_same_contender()
    {
        Target target = Target.WithinAtMost("ours", Metric.P99, 5, Metric.P50);
        var sample = new Sample().With(Metric.P50, 2).With(Metric.P99, 11);
        BenchmarkResult result = Result(new Outcome("ours", [sample], Absent: null, Failure: null));

        Assert.Equal(5.5, target.Measure(result));
        Assert.False(target.IsReachedBy(5.5));
    }

    [Fact]
    public void What_a_contender_takes_beyond_its_peer_is_held_in_the_metrics_own_unit()
    {
        Target target = Target.AboveAtMost("ours", Metric.P50, 0.25, "raw");
        BenchmarkResult result = Result(
            new Outcome("ours", [new Sample().With(Metric.P50, 0.5)], Absent: null, Failure: null),
            new Outcome("raw", [new Sample().With(Metric.P50, 0.125)], Absent: null, Failure: null)
        );

        Assert.Equal(0.375, target.Measure(result));
        Assert.False(target.IsReachedBy(0.375));
        Assert.Equal("ours: p50 at most 0.250 ms above raw", target.Text);
    }

    private static BenchmarkResult Result(params (string Name, double[] Rates)[] contenders) =>
        Result([
            .. contenders.Select(c => new Outcome(
                c.Name,
                [.. c.Rates.Select(r => new Sample().With(Metric.Rate, r))],
                Absent: null,
                Failure: null
            )),
        ]);

    private static BenchmarkResult Result(params Outcome[] outcomes) =>
        new(
            Catalogue.All[0],
            new RunSettings(Quick: true, Runs: 3, SecondsOverride: null, Directory: "/"),
            Runs: 3,
            outcomes,
            TimeSpan.Zero
        );
}
