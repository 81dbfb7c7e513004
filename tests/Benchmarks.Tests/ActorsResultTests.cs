using Jackdaw.Bench.Peers;
using Xunit;

namespace Jackdaw.Bench.Tests;

public class ActorsResultTests
{
    [Fact]
    public void A_result_is_read_in_milliseconds()
    {
        Assert.Equal(new ActorsResult(10_000, 1.25, 0.3125), ActorsResult.Parse("RESULT 10000 1.250000 312.5"));
    }

    [Theory]
    [InlineData("FAILED event 7 was not stored: the server is gone")]
    [InlineData("RESULT 10000")]
    public void Anything_else_is_a_failure_that_is_told_whole(string line)
    {
        Assert.Contains(line, Assert.Throws<IOException>(() => ActorsResult.Parse(line)).Message, StringComparison.Ordinal);
    }
}
