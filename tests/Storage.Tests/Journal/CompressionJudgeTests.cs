using Jackdaw.Storage.Journal;
using Xunit;

namespace Jackdaw.Storage.Tests.Journal;

public sealed class CompressionJudgeTests
{
    private const long Large = 256 << 10;

    [Theory]
    [InlineData(100_000, 10.0, true, "a slow device: the bytes saved are worth the time")]
    [InlineData(100_000, 0.5, false, "a fast device: compressing takes longer than writing")]
    [InlineData(5_000_000, 0.0, false, "a device that is slow to answer whatever the size: nothing is saved")]
    public void Compression_is_used_where_the_time_that_bytes_take_exceeds_its_own(
        double fixedNs,
        double nsPerByte,
        bool expected,
        string why
    )
    {
        var random = new Random(1);
        var judge = new CompressionJudge(JournalCompression.WhenItPays, available: true);
        for (var i = 0; i < 300; i++)
        {
            var payload = random.NextInt64(4 << 10, Large);
            if (judge.Considers(payload) && (judge.TakesSample(payload) || judge.ShouldCompress(payload)))
                judge.Compressed(payload, payload / 3, TimeSpan.FromMicroseconds(payload * 0.002));
            judge.Wrote(payload, TimeSpan.FromMicroseconds((fixedNs * (0.8 + 0.4 * random.NextDouble()) + payload * nsPerByte) / 1000));
        }
        Assert.True(judge.ShouldCompress(Large) == expected, why);
        Assert.False(judge.ShouldCompress(CompressionJudge.MinPayloadBytes - 1));
    }

    [Fact]
    public void Without_the_library_nothing_is_considered_whatever_the_mode()
    {
        Assert.False(new CompressionJudge(JournalCompression.Always, available: false).Considers(Large));
        Assert.False(new CompressionJudge(JournalCompression.WhenItPays, available: false).Considers(Large));
    }
}
