using Jackdaw.Indexing.Queries;
using Jackdaw.Indexing.Rql;
using Xunit;

namespace Jackdaw.Indexing.Tests.Queries;

public sealed class ParsedQueriesTests
{
    private readonly ParsedQueries _queries = new();

    [Fact]
    public void A_text_is_remembered_from_the_second_time_on()
    {
        _queries.Get("from Users where Name = $p0");
        Assert.Equal(0, _queries.Count);
        var second = _queries.Get("from Users where Name = $p0");
        Assert.Equal(1, _queries.Count);
        Assert.Same(second, _queries.Get("from Users where Name = $p0"));
    }

    [Fact]
    public void Texts_that_come_once_are_not_remembered_and_push_nothing_out()
    {
        const string Usual = "from Users where Name = $p0";
        _queries.Get(Usual);
        var usual = _queries.Get(Usual);
        for (int i = 0; i < 3 * QueryLimits.MaxRememberedQueries; i++)
            _queries.Get($"from Users where Age = {i}");
        Assert.Same(usual, _queries.Get(Usual));
        // Two texts may share a hash, and then one of them is taken for one that came before.
        Assert.InRange(_queries.Count, 1, 3);
    }

    [Fact]
    public void A_text_that_is_no_query_is_an_error_each_time()
    {
        for (int i = 0; i < 3; i++)
            Assert.Throws<RqlSyntaxException>(() => _queries.Get("from"));
        Assert.Equal(0, _queries.Count);
    }

    [Fact]
    public void No_more_are_remembered_than_the_limit()
    {
        for (int i = 0; i < 2 * QueryLimits.MaxRememberedQueries; i++)
        {
            _queries.Get($"from Users where Age = {i}");
            _queries.Get($"from Users where Age = {i}");
        }
        Assert.InRange(_queries.Count, 1, QueryLimits.MaxRememberedQueries);
    }
}
