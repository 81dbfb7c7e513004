using System.Diagnostics.Metrics;
using Jackdaw.Server.Metrics;
using Xunit;

namespace Jackdaw.Server.Tests.Metrics;

public class PrometheusTextTests
{
    [Fact]
    public void Samples_of_several_meters_stand_together_under_one_head()
    {
        using var first = new Meter("Test.Prometheus.A");
        using var second = new Meter("Test.Prometheus.B");
        using var other = new Meter("Another");
        first.CreateObservableCounter(
            "bird.songs",
            () => new Measurement<long>(3, new KeyValuePair<string, object?>("database", "a")),
            "{song}",
            "Songs sung."
        );
        second.CreateObservableCounter(
            "bird.songs",
            () => new Measurement<long>(4, new KeyValuePair<string, object?>("database", "b")),
            "{song}",
            "Songs sung."
        );
        second.CreateObservableGauge("bird.rest", () => 0.5, "s", "Time since\nthe last \\ song.");
        second.CreateObservableCounter("bird.seeds", () => 12L, "By");
        other.CreateObservableGauge("bird.other", () => 1);
        first.CreateCounter<long>("bird.unobserved").Add(1);
        Assert.Equal(
            """
            # HELP bird_rest_seconds Time since\nthe last \\ song.
            # TYPE bird_rest_seconds gauge
            bird_rest_seconds 0.5
            # HELP bird_seeds_bytes_total 
            # TYPE bird_seeds_bytes_total counter
            bird_seeds_bytes_total 12
            # HELP bird_songs_total Songs sung.
            # TYPE bird_songs_total counter
            bird_songs_total{database="a"} 3
            bird_songs_total{database="b"} 4

            """,
            PrometheusText.Collect("Test.Prometheus."),
            ignoreLineEndingDifferences: false
        );
    }

    [Fact]
    public void Labels_are_escaped_so_that_no_name_can_forge_a_sample() =>
        Assert.Equal(
            """task="say \"hi\"\n\\ up 1",n="1.5" """.TrimEnd(),
            PrometheusText.Labels([new("task", "say \"hi\"\n\\ up 1"), new("n", 1.5)])
        );

    [Fact]
    public void Numbers_that_are_none_are_written_as_the_format_has_them()
    {
        var family = new MetricFamily("x", IsCounter: false, "");
        family.Samples["a=\"1\""] = double.PositiveInfinity;
        family.Samples["a=\"2\""] = double.NegativeInfinity;
        family.Samples["a=\"3\""] = double.NaN;
        Assert.EndsWith("x{a=\"1\"} +Inf\nx{a=\"2\"} -Inf\nx{a=\"3\"} NaN\n", PrometheusText.Write([family]), StringComparison.Ordinal);
    }
}
