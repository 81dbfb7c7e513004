using Jackdaw.Indexing.Rql;
using Xunit;

namespace Jackdaw.Indexing.Tests.Rql;

public class RqlSyntaxErrorTests
{
    [Theory]
    [InlineData("", 1, 1, "the end of the query", "'from' or 'declare'")]
    [InlineData("select a from U", 1, 1, "'select'", "'from' or 'declare'")]
    [InlineData("from", 1, 5, "the end of the query", "a collection's name")]
    [InlineData("from ''", 1, 6, "''''", "a collection's name")]
    [InlineData("from 5", 1, 6, "'5'", "a collection's name")]
    [InlineData("from U u v", 1, 10, "'v'", "a clause")]
    [InlineData("from U where", 1, 13, "the end of the query", "a field, a value or a call")]
    [InlineData("from Users where name", 1, 22, "the end of the query", "a comparison")]
    [InlineData("from Users where name limit 5", 1, 23, "'limit'", "a comparison")]
    [InlineData("from U where a = 1 b = 2", 1, 20, "'b'", "a clause")]
    [InlineData("from U where a =", 1, 17, "the end of the query", "a field, a value or a call")]
    [InlineData("from U where order by a", 1, 14, "'order'", "stands in quotes")]
    [InlineData("from U where from Users", 1, 14, "'from'", "stands in quotes")]
    [InlineData("from U where from", 1, 18, "the end of the query", "a comparison")]
    [InlineData("from U where a = and b = 2", 1, 18, "'and'", "stands in quotes")]
    [InlineData("from U where a = 1 and", 1, 23, "the end of the query", "a field")]
    [InlineData("from U where a = 1 or b and c = 1", 1, 25, "'and'", "a comparison")]
    [InlineData("from U where (a = 1", 1, 20, "the end of the query", "')'")]
    [InlineData("from U where a = 1)", 1, 19, "')'", "a clause")]
    [InlineData("from U where a in 5", 1, 19, "'5'", "'(' and the values")]
    [InlineData("from U where a in (1 2)", 1, 22, "'2'", "',' or ')'")]
    [InlineData("from U where a between 1 or 2", 1, 26, "'or'", "'and' and the range's upper end")]
    [InlineData("from U where exists(a", 1, 22, "the end of the query", "',' or ')'")]
    [InlineData("from U where a. = 1", 1, 17, "'='", "a property's name")]
    [InlineData("from U where a[x] = 1", 1, 16, "'x'", "']'")]
    [InlineData("from U where a[-1] = 1", 1, 16, "'-1'", "an element's whole number")]
    [InlineData("from U where '' = 1", 1, 14, "''''", "not empty")]
    [InlineData("from U where a[0](1) = 1", 1, 18, "'('", "a call's name")]
    [InlineData("from U where a = 'x", 1, 18, "a string without its end", "a closing '")]
    [InlineData("from U where a = 12ab", 1, 18, "'12ab'", "a number")]
    [InlineData("from U where a = $ 1", 1, 18, "'$' alone", "a parameter's name")]
    [InlineData("from U where a # 1", 1, 16, "'#'", "a word, a value or an operator")]
    [InlineData("from U where a \u0001 1", 1, 16, "the character U+0001", "a word, a value or an operator")]
    [InlineData("from U where a = 1 /* no end", 1, 20, "a comment without its end", "'*/'")]
    [InlineData("from U group a", 1, 14, "'a'", "'by' after 'group'")]
    [InlineData("from U group by 5", 1, 17, "'5'", "a field")]
    [InlineData("from U order by", 1, 16, "the end of the query", "a field")]
    [InlineData("from U order by a as int", 1, 22, "'int'", "'long', 'double'")]
    [InlineData("from U order by $p0", 1, 17, "'$p0'", "a field")]
    [InlineData("from U load a.b", 1, 16, "the end of the query", "'as' and a name")]
    [InlineData("from U select a as", 1, 19, "the end of the query", "a name after 'as'")]
    [InlineData("from U select a,", 1, 17, "the end of the query", "a field")]
    [InlineData("from U limit -1", 1, 14, "'-1'", "a whole number that is not negative")]
    [InlineData("from U limit 1.5", 1, 14, "'1.5'", "a whole number")]
    [InlineData("from U limit a", 1, 14, "'a'", "a whole number")]
    [InlineData("from U limit 1 limit 2", 1, 16, "'limit'", "no second 'limit'")]
    [InlineData("from U limit 1, 2 offset 3", 1, 19, "'offset'", "no second 'offset'")]
    [InlineData("from U offset 3 limit 1, 2", 1, 24, "','", "no second number")]
    [InlineData("from U where a = 1 Where b = 2", 1, 20, "'Where'", "no second 'where'")]
    [InlineData("from U update 5", 1, 15, "'5'", "'{' and the script")]
    [InlineData("from U update { if (a) { }", 1, 15, "'{' that is never closed", "balanced brackets")]
    [InlineData("from U update { foo(] }", 1, 21, "']'", "')' for the '(' of line 1, column 20")]
    [InlineData("from U update { 'abc }", 1, 17, "a string without its end", "on the same line")]
    [InlineData("from U update { `abc }", 1, 17, "'`' that is never closed", "balanced brackets")]
    [InlineData("declare query f() {} from U", 1, 9, "'query'", "'function' or 'timeseries'")]
    [InlineData("declare function (a) {} from U", 1, 18, "'('", "the function's name")]
    [InlineData("declare function f(a) from U", 1, 23, "'from'", "'{' and the function's body")]
    [InlineData("declare function f() {} where", 1, 25, "'where'", "'from' or another 'declare'")]
    [InlineData("declare timeseries t(a) { from x from U", 1, 25, "'{' that is never closed", "time-series query")]
    [InlineData("from U\nwhere a = 1\r\n\tand b 5", 3, 8, "'5'", "a comparison")]
    [InlineData("match (u)-[:x]->(v)", 1, 1, "'match'", "'from' or 'declare'")]
    public void An_error_names_its_place_what_was_found_and_what_was_expected(
        string query,
        int line,
        int column,
        string found,
        string expected
    )
    {
        var error = Assert.Throws<RqlSyntaxException>(() => RqlParser.Parse(query));

        Assert.Equal((line, column), (error.Line, error.Column));
        Assert.Equal(found, error.Token);
        Assert.Contains(expected, error.Expected, StringComparison.Ordinal);
    }

    [Fact]
    public void The_message_shows_the_line_with_a_caret_under_the_place()
    {
        var error = Assert.Throws<RqlSyntaxException>(() => RqlParser.Parse("from Users\n\twhere name limit 5\norder by x"));

        Assert.Equal(
            "Line 2, column 13: expected a comparison ('=', '!=', '<', '<=', '>', '>=', 'in', 'all in', 'between'), found 'limit'.\n"
                + "\twhere name limit 5\n"
                + "\t           ^",
            error.Message
        );
    }

    [Fact]
    public void Of_a_long_line_the_message_shows_the_part_around_the_place()
    {
        var query = $"from Users where a = '{new string('x', 5000)}' ? b = '{new string('y', 5000)}'";

        var error = Assert.Throws<RqlSyntaxException>(() => RqlParser.Parse(query));

        var lines = error.Message.Split('\n');
        Assert.Equal(3, lines.Length);
        Assert.True(lines[1].Length <= 120);
        Assert.Equal('?', lines[1][lines[2].IndexOf('^', StringComparison.Ordinal)]);
    }
}
