using Jackdaw.Indexing.Queries;
using Jackdaw.Indexing.Rql;
using Xunit;

namespace Jackdaw.Indexing.Tests.Queries;

public sealed class UpdatePlanTests
{
    [Fact]
    public void An_update_is_the_plan_of_its_documents_and_a_script_in_its_place()
    {
        const string Query =
            "DECLARE FUNCTION twice(x) {\r\n return 2 * x }\r\nfrom Orders as "
            + "o\nwhere startsWith(id(), 'orders/')\n  update { o.n = twice($p0); }";
        var plan = QueryPlanner.PlanUpdate(Query, RqlParameters.None);
        Assert.Equal(("Orders", QuerySourceKind.IdPrefix, "o"), (plan.Documents.Collection, plan.Documents.Source, plan.Alias));
        const string Script =
            "        function twice(x) {\r\n return 2 * x }\r\n                "
            + "\n                                 \n         { o.n = twice($p0); }";
        Assert.Equal(Script, plan.Script);
    }

    [Fact]
    public void A_query_without_update_is_refused() =>
        Assert.Contains(
            "update",
            Assert.Throws<UpdateMissingException>(() => QueryPlanner.PlanUpdate("from Orders", RqlParameters.None)).Message
        );

    [Theory]
    [InlineData("from Orders group by n update { }")]
    [InlineData("declare timeseries t(o) { from o.x } from Orders update { }")]
    public void What_is_not_supported_is_refused_as_in_a_query(string query) =>
        Assert.Throws<QueryNotSupportedException>(() => QueryPlanner.PlanUpdate(query, RqlParameters.None));

    [Fact]
    public void An_update_stays_refused_in_a_plain_query() =>
        Assert.Throws<QueryNotSupportedException>(() => QueryPlanner.Plan("from Orders update { }", RqlParameters.None));
}
