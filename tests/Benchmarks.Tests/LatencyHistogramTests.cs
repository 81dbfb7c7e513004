using Jackdaw.Bench.Measurement;
using Xunit;

namespace Jackdaw.Bench.Tests;

public class LatencyHistogramTests
{
    [Theory]
    [InlineData(50)]
    [InlineData(99)]
    [InlineData(99.9)]
    [InlineData(100)]
    public void A_percentile_is_within_a_hundredth_of_the_sorted_values(double percent)
    {
        var random = new Random(7);
        long[] values = [.. Enumerable.Range(0, 50_000).Select(_ => (long)Math.Exp(random.NextDouble() * 24))];
        LatencyHistogram histogram = Record(values);
        Array.Sort(values);
        double exactMs = values[(int)Math.Ceiling(values.Length * percent / 100) - 1] / 1e6;

        Assert.InRange(histogram.PercentileMs(percent), exactMs, exactMs * 1.01);
    }

    [Fact]
    public void Merged_histograms_are_as_one_that_saw_everything()
    {
        long[] first = [10, 2_000, 300_000],
            second = [5, 40_000_000, 127, 128, 129];

        LatencyHistogram merged = LatencyHistogram.Merge([Record(first), Record(second)]);

        LatencyHistogram one = Record([.. first, .. second]);
        Assert.Equal(8, merged.Count);
        Assert.Equal(40, merged.MaxMs);
        Assert.All(new double[] { 1, 25, 50, 75, 99 }, p => Assert.Equal(one.PercentileMs(p), merged.PercentileMs(p)));
    }

    private static LatencyHistogram Record(IEnumerable<long> nanoseconds)
    {
        var histogram = new LatencyHistogram();
        foreach (long value in nanoseconds)
            histogram.Record(value);
        return histogram;
    }
}
