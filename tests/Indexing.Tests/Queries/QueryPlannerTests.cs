using Jackdaw.Indexing.Queries;
using Jackdaw.Indexing.Rql;
using Xunit;

namespace Jackdaw.Indexing.Tests.Queries;

public class QueryPlannerTests
{
    [Theory]
    [InlineData("from Users group by name", "'group by'", 1, 21)]
    [InlineData("from Users update { }", "the 'update' clause", 1, 19)]
    [InlineData("from Users (Revisions = true)", "a condition in the 'from' clause", 1, 13)]
    [InlineData("from Users select facet(a)", "facet() in 'select'", 1, 19)]
    [InlineData("from Users as u select u", "selecting the whole document", 1, 24)]
    [InlineData("from Users select a, b as a", "two projected fields with the name 'a'", 1, 22)]
    [InlineData("from Users include counters('likes')", "counters() in 'include'", 1, 20)]
    public void What_is_not_supported_is_named_with_its_place(string query, string what, int line, int column)
    {
        var error = Assert.Throws<QueryNotSupportedException>(() => QueryPlanner.Plan(query, RqlParameters.None));

        Assert.Contains(what, error.What, StringComparison.Ordinal);
        Assert.Equal(new RqlPosition(line, column), error.Position);
        Assert.Contains($"line {line}, column {column}", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("from Users where id() = $p", "{}", "no value of that name", 25)]
    [InlineData("from Users where id() = $p", """{"p": ["a"]}""", "an array", 25)]
    [InlineData("from Users where id() in ($p)", """{"p": [{}]}""", "an object", 27)]
    [InlineData("from Users limit $p", """{"p": -1}""", "the number -1", 18)]
    [InlineData("from Users limit $p, 5", """{"p": 1.5}""", "the number 1.5", 18)]
    [InlineData("from Users limit $p", """{"p": "5"}""", "a text", 18)]
    [InlineData("from Users", "[]", "must be a JSON object, not an array", 1)]
    public void A_parameter_that_is_missing_or_of_the_wrong_kind_is_refused(string query, string parameters, string reason, int column)
    {
        var error = Assert.Throws<QueryParameterException>(() => QueryPlanner.Plan(query, RqlParameters.Parse(parameters)));

        Assert.Contains(reason, error.Message, StringComparison.Ordinal);
        Assert.Equal(new RqlPosition(1, column), error.Position);
    }

    [Theory]
    [InlineData("from Users", "collection/Users: everything, by etag, skip 0, take all")]
    [InlineData("from @all_docs order by id() desc limit 5", "collection/@all_docs: everything, by id descending, skip 0, take 5")]
    [InlineData(
        "from 'Old Users' as u where id(u) in ('a', 5) order by id() limit 3, 99999999999999999999",
        "collection/Old Users: 2 ids, by id, skip 3, take 9223372036854775807"
    )]
    [InlineData("from Users where startsWith(id(), 'users/')", "collection/Users: ids that begin with 'users/', by id, skip 0, take all")]
    public void A_plan_says_source_order_and_paging(string query, string plan) =>
        Assert.Equal(plan, QueryPlanner.Plan(query, RqlParameters.None).ToString());

    /// <summary>JavaScript has no number 2^63 - 1: a client that asks for as much as there is sends one beyond it.</summary>
    [Theory]
    [InlineData("9223372036854776000")]
    [InlineData("1e300")]
    public void A_limit_in_a_parameter_beyond_every_count_is_no_limit(string number) =>
        Assert.EndsWith(
            "skip 0, take 9223372036854775807",
            QueryPlanner.Plan("from Users limit $p", RqlParameters.Parse($$"""{"p": {{number}}}""")).ToString(),
            StringComparison.Ordinal
        );

    [Fact]
    public void Included_paths_lose_the_alias_of_the_source()
    {
        var plan = QueryPlanner.Plan(
            "from Orders as o include o.company, 'o.lines[].product', employee, 'employee(employees/)', o.'a.b'.c",
            RqlParameters.None
        );

        Assert.Equal(["company", "lines[].product", "employee", "employee(employees/)", "a.b.c"], plan.Includes.Select(path => path.Text));
        var ids = new List<string>();
        plan.Includes[4].CollectIds("""{"a.b": {"c": "x/1"}}"""u8, ids);
        Assert.Equal(["x/1"], ids);
    }
}
