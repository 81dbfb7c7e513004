using Jackdaw.Indexing.Queries;
using Jackdaw.Tests;
using Xunit;

namespace Jackdaw.Indexing.Tests.Queries;

/// <summary>Conditions that speak of the time of the query.</summary>
public sealed class DateFunctionTests
{
    private readonly ManualClock _clock = new(new DateTimeOffset(2024, 2, 29, 10, 20, 30, 456, TimeSpan.Zero));

    [Theory]
    [InlineData("now()", "2024-02-29T10:20:30.4560000Z")]
    [InlineData("NOW()", "2024-02-29T10:20:30.4560000Z")]
    [InlineData("today()", "2024-02-29T00:00:00.0000000Z")]
    [InlineData("now(null)", "2024-02-29T10:20:30.4560000Z")]
    [InlineData("now('5s')", "2024-02-29T10:20:35.0000000Z")]
    [InlineData("now('-90 seconds')", "2024-02-29T10:19:00.0000000Z")]
    [InlineData("now('+30m')", "2024-02-29T10:50:00.0000000Z")]
    [InlineData("now('-2hours30minutes')", "2024-02-29T07:50:00.0000000Z")]
    [InlineData("now('-11h')", "2024-02-28T23:00:00.0000000Z")]
    [InlineData("now('-1d')", "2024-02-28T00:00:00.0000000Z")]
    [InlineData("now('1Day')", "2024-03-01T00:00:00.0000000Z")]
    [InlineData("now('0d')", "2024-02-29T00:00:00.0000000Z")]
    [InlineData("now('+1mo')", "2024-03-01T00:00:00.0000000Z")]
    [InlineData("now('-1y')", "2023-01-01T00:00:00.0000000Z")]
    [InlineData("now('1 year 6 months')", "2025-08-01T00:00:00.0000000Z")]
    [InlineData("now(' + 1y1d ')", "2025-03-01T00:00:00.0000000Z")]
    [InlineData("now($offset)", "2024-02-22T00:00:00.0000000Z")]
    public void A_function_stands_for_a_moment_of_the_clock(string function, string moment)
    {
        var plan = Plan($"from Users where at > {function}");

        Assert.Equal($"'{moment}' < at", SearchQueryText.Of(plan.Index!.Query));
        Assert.True(plan.DependsOnTime);
    }

    [Fact]
    public void All_functions_of_a_query_see_one_moment_and_the_next_query_sees_another()
    {
        var query = "from Users where at in (now(), $none) and not at = now() filter at < now()";
        var clock = new PassingClock(_clock);
        var plan = Plan(query, clock);
        string moment = "2024-02-29T10:20:30.4560000Z";

        Assert.Equal($"(at in ('{moment}', null) and not (at = '{moment}'))", SearchQueryText.Of(plan.Index!.Query));
        Assert.Equal($"at < '{moment}'", SearchQueryText.Of(plan.Filter!.Query));
        Assert.Equal("at < '2024-02-29T10:20:31.4560000Z'", SearchQueryText.Of(Plan(query, clock).Filter!.Query));
    }

    [Fact]
    public void A_filter_alone_depends_on_the_time_and_other_queries_do_not()
    {
        Assert.True(Plan("from Users filter at < today()").DependsOnTime);
        Assert.False(Plan("from Users where at < '2024-02-29'").DependsOnTime);
    }

    [Theory]
    [InlineData("now('')")]
    [InlineData("now('7')")]
    [InlineData("now('d')")]
    [InlineData("now('1w')")]
    [InlineData("now('1d1y')")]
    [InlineData("now('1d 2d')")]
    [InlineData("now('--1d')")]
    [InlineData("now('1.5h')")]
    [InlineData("now('99999999999d')")]
    [InlineData("now(5)")]
    [InlineData("now('1d', '2d')")]
    [InlineData("today('1d')")]
    [InlineData("now('9999y')")]
    [InlineData("now('-2147483647y')")]
    [InlineData("now('-2147483647d')")]
    public void What_is_no_offset_is_refused_with_its_place(string function)
    {
        var refused = Assert.Throws<QueryArgumentException>(() => Plan($"from Users where at > {function}"));

        Assert.Contains("line 1, column", refused.Message, StringComparison.Ordinal);
    }

    private QueryPlan Plan(string query, TimeProvider? clock = null) =>
        QueryPlanner.Plan(query, RqlParameters.Parse("""{"offset": "-7d", "none": null}"""), clock ?? _clock);

    /// <summary>A second passes with each look at it.</summary>
    private sealed class PassingClock(ManualClock clock) : TimeProvider
    {
        public override DateTimeOffset GetUtcNow()
        {
            var now = clock.GetUtcNow();
            clock.Advance(TimeSpan.FromSeconds(1));
            return now;
        }
    }
}
