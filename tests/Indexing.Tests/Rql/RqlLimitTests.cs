using Jackdaw.Indexing.Rql;
using Xunit;

namespace Jackdaw.Indexing.Tests.Rql;

public class RqlLimitTests
{
    [Fact]
    public void A_query_of_the_longest_length_parses_and_one_character_more_is_refused()
    {
        const string query = "from Users";
        RqlParser.Parse(query.PadRight(RqlLimits.MaxQueryLength));

        RefusedBy(nameof(RqlLimits.MaxQueryLength), query.PadRight(RqlLimits.MaxQueryLength + 1));
    }

    [Theory]
    [InlineData("(", "a = 1", ")", 127)]
    [InlineData("not ", "a = 1", "", 127)]
    [InlineData("boost(", "a = 1", ")", 127)]
    [InlineData("a = [", "1", "]", 1)]
    public void Nesting_is_refused_one_level_beyond_the_limit(string opens, string inner, string closes, int deepest)
    {
        RqlParser.Parse($"from U where {Nest(deepest)}");
        if (deepest > 1)
            RefusedBy(nameof(RqlLimits.MaxNestingDepth), $"from U where {Nest(deepest + 1)}");

        string Nest(int depth) => string.Concat(Enumerable.Repeat(opens, depth)) + inner + string.Concat(Enumerable.Repeat(closes, depth));
    }

    [Theory]
    [InlineData("from U where ", "(")]
    [InlineData("from U where ", "not ")]
    [InlineData("from U where ", "f(")]
    [InlineData("from U where a = ", "[")]
    [InlineData("from U select ", "f(")]
    [InlineData("from U include ", "f(")]
    [InlineData("from U limit ", "(")]
    public void A_query_of_nothing_but_openings_is_refused_without_exhausting_the_stack(string start, string opening)
    {
        var query = start + string.Concat(Enumerable.Repeat(opening, 200_000));

        Assert.ThrowsAny<RqlSyntaxException>(() => RqlParser.Parse(query));
    }

    /// <summary>Among them half a million slashes, each of which could begin a regular expression that the rest of the line does
    /// not end.</summary>
    [Theory]
    [InlineData("from U update { ", "/[")]
    [InlineData("from U update { ", "/\\")]
    [InlineData("from U update { ", "`${")]
    [InlineData("from U where a in (", "'a','")]
    [InlineData("from U where a = 1 ", "/**/")]
    [InlineData("from U where a in (", "1,")]
    public void A_text_of_the_longest_length_is_refused_in_linear_time(string start, string repeated)
    {
        var query =
            start + string.Concat(Enumerable.Repeat(repeated, (RqlLimits.MaxQueryLength - start.Length - 1) / repeated.Length)) + "?";

        Assert.True(
            ProcessorTime.IsWithin(TimeSpan.FromSeconds(10), () => Assert.ThrowsAny<RqlSyntaxException>(() => RqlParser.Parse(query)))
        );
    }

    [Fact]
    public void Brackets_in_a_script_may_nest_as_deeply_as_the_text_is_long()
    {
        var script = new string('{', 200_000) + new string('}', 200_000);

        Assert.Equal(script, RqlParser.Parse("from U update " + script).Update!.Text);
    }

    [Fact]
    public void A_chain_as_long_as_the_limit_of_clauses_parses_compares_and_prints_and_a_longer_one_is_refused()
    {
        var query = "from U where " + Chain(RqlLimits.MaxClauses);
        var tree = RqlParser.Parse(query);
        Assert.Equal(query, RqlPrinter.Print(tree));
        Assert.Equal(tree, RqlParser.Parse(query));

        RefusedBy(nameof(RqlLimits.MaxClauses), "from U where " + Chain(RqlLimits.MaxClauses + 1));
        RefusedBy(nameof(RqlLimits.MaxClauses), "from U select " + string.Join(", ", Enumerable.Repeat("a", RqlLimits.MaxClauses + 1)));

        static string Chain(int length) => string.Join(" or ", Enumerable.Repeat("a = 1", length));
    }

    private static void RefusedBy(string limit, string query)
    {
        var error = Assert.Throws<RqlLimitException>(() => RqlParser.Parse(query));
        Assert.Equal(limit, error.LimitName);
        Assert.Contains(limit, error.Message, StringComparison.Ordinal);
        Assert.Contains(error.Limit.ToString(System.Globalization.CultureInfo.InvariantCulture), error.Message, StringComparison.Ordinal);
    }
}
