using System.Text;
using Jackdaw.Server.Endpoints.Documents;

namespace Jackdaw.Server.Tests.Endpoints.Documents;

public sealed class IdPatternTests
{
    [Theory]
    [InlineData("*", "", true)]
    [InlineData("a*", "abc", true)]
    [InlineData("A*C", "abc", true)]
    [InlineData("a*c", "abcb", false)]
    [InlineData("a?c", "abc", true)]
    [InlineData("a?c", "aéc", true)]
    [InlineData("a?c", "ac", false)]
    [InlineData("x|ab?", "abc", true)]
    [InlineData("x|ab?", "abcd", false)]
    [InlineData("*b*b*", "abab", true)]
    [InlineData("*?*?*", "é", false)]
    [InlineData("a", "a", true)]
    [InlineData("a", "", false)]
    public void Globs_match_as_told(string pattern, string rest, bool matches) =>
        Assert.Equal(matches, IdPattern.Parse(pattern)!.Matches(Encoding.UTF8.GetBytes(rest)));

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("|")]
    public void An_empty_pattern_restricts_nothing(string? pattern) => Assert.Null(IdPattern.Parse(pattern));

    [Fact]
    public void Many_stars_take_no_exponential_time()
    {
        var pattern = IdPattern.Parse(string.Concat(Enumerable.Repeat("*a", 200)) + "b")!;
        Assert.False(pattern.Matches(Encoding.UTF8.GetBytes(new string('a', 500))));
    }
}
