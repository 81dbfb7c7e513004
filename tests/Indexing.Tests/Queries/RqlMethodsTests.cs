using Jackdaw.Indexing.Queries;
using Jackdaw.Indexing.Rql;
using Xunit;

namespace Jackdaw.Indexing.Tests.Queries;

/// <summary>Calls of methods that cannot be answered: each is told what it is.</summary>
public class RqlMethodsTests
{
    [Theory]
    [InlineData("where lucene(name, 'a')", "lucene() as a condition")]
    [InlineData("where LUCENE(name, 'a')", "lucene() as a condition")]
    [InlineData("where fuzzy(name = 'a', 0.5)", "fuzzy() as a condition")]
    [InlineData("where proximity(search(name, 'a b'), 3)", "proximity() as a condition")]
    [InlineData("where intersect(a = 1, b = 1)", "intersect() as a condition")]
    [InlineData("where moreLikeThis(id() = 'a')", "moreLikeThis() as a condition")]
    [InlineData("where spatial.within(a, spatial.circle(1, 2, 3))", "spatial.within() as a condition")]
    [InlineData("where spatial.contains(a, spatial.wkt('x'))", "spatial.contains() as a condition")]
    [InlineData("where spatial.disjoint(a, spatial.wkt('x'))", "spatial.disjoint() as a condition")]
    [InlineData("where spatial.intersects(a, spatial.wkt('x'))", "spatial.intersects() as a condition")]
    [InlineData("where vector.search(embedding.text(a), 'b')", "vector.search() as a condition")]
    [InlineData("where true and not lucene(name, 'a')", "lucene() as a condition")]
    [InlineData("filter lucene(name, 'a')", "lucene() as a condition")]
    [InlineData("where name = cmpxchg('a')", "cmpxchg() as a value")]
    [InlineData("where name in ('a', cmpxchg('a').b)", "cmpxchg() as a value")]
    [InlineData("where name = id()", "id() as a value")]
    [InlineData("where count() > 5", "count() in place of a field")]
    [InlineData("order by score()", "score() in 'order by'")]
    [InlineData("order by custom(a, 'b')", "custom() in 'order by'")]
    [InlineData("order by spatial.distance(a, spatial.point(1, 2))", "spatial.distance() in 'order by'")]
    [InlineData("select facet(a)", "facet() in 'select'")]
    [InlineData("select suggest(a, 'b')", "suggest() in 'select'")]
    [InlineData("select a, sum(b)", "sum() in 'select'")]
    [InlineData("load u.company as c select c.name, counter(u, 'a')", "counter() in 'select'")]
    [InlineData("include counters('likes')", "counters() in 'include'")]
    [InlineData("include timeseries(u, 'a')", "timeseries() in 'include'")]
    [InlineData("include revisions('a')", "revisions() in 'include'")]
    [InlineData("include cmpxchg('a')", "cmpxchg() in 'include'")]
    [InlineData("include highlight(a, 128, 2)", "highlight() in 'include'")]
    [InlineData("include explanations()", "explanations() in 'include'")]
    public void A_method_that_RQL_has_and_that_is_not_answered_yet_is_named(string clauses, string what)
    {
        var error = Assert.Throws<QueryNotSupportedException>(() => QueryPlanner.Plan($"from Users as u {clauses}", RqlParameters.None));

        Assert.Equal(what, error.What);
    }

    [Theory]
    [InlineData("where foo(name)", 23, "There is no method foo() as a condition; RQL has boost(), endsWith(), exact(), exists(), ")]
    [InlineData("where a = 1 and startWith(name, 'a')", 33, "There is no method startWith() as a condition; did you mean startsWith()?")]
    [InlineData("where SERCH(name, 'a')", 23, "There is no method SERCH() as a condition; did you mean search()?")]
    [InlineData("where spatial.withn(a, b)", 23, "There is no method spatial.withn() as a condition; did you mean spatial.within()?")]
    [InlineData("where foo(name).bar", 23, "There is no method foo() as a condition")]
    [InlineData("filter exist(name)", 24, "There is no method exist() as a condition; did you mean exists()?")]
    [InlineData("where length(name) > 5", 23, "There is no method length() in place of a field; RQL has id(), count(), key(), sum() there")]
    [InlineData("where name = nowt()", 30, "There is no method nowt() as a value; did you mean now()?")]
    [InlineData("where name in (later())", 32, "There is no method later() as a value; RQL has id(), cmpxchg(), now(), today() there")]
    [InlineData("order by scor()", 26, "There is no method scor() in 'order by'; did you mean score()?")]
    [InlineData("select facett(a)", 24, "There is no method facett() in 'select'; did you mean facet()?")]
    [InlineData("include timing()", 25, "There is no method timing() in 'include'; did you mean timings()?")]
    [InlineData("load foo(u.a) as c select c.b", 22, "There is no method foo(), and none can stand in 'load'")]
    [InlineData("where facet(name)", 23, "facet() cannot stand as a condition; it stands in 'select'")]
    [InlineData("where id(name)", 23, "id() is no condition by itself")]
    [InlineData("order by search(name, 'a')", 26, "search() cannot stand in 'order by'; it stands as a condition")]
    [InlineData("where search(name, 'a') = 5", 23, "search() cannot stand in place of a field; it stands as a condition")]
    [InlineData("select name, score()", 30, "score() cannot stand in 'select'; it stands in 'order by'")]
    [InlineData("where exists(name).x", 23, "exists() has no members, and a path stands behind it")]
    [InlineData("where STARTSWITH(name, 'a').x", 23, "startsWith() has no members, and a path stands behind it")]
    [InlineData("where a = 1 and search(name, 'a')[0]", 33, "search() has no members, and a path stands behind it")]
    [InlineData("where lucene(name, 'a').x", 23, "lucene() has no members, and a path stands behind it")]
    [InlineData("where id().x = 'a'", 23, "id() has no members, and a path stands behind it")]
    [InlineData("filter exists(name).x", 24, "exists() has no members, and a path stands behind it")]
    [InlineData("order by random().x", 26, "random() has no members, and a path stands behind it")]
    [InlineData("select id().x", 24, "id() has no members, and a path stands behind it")]
    [InlineData("include timings().x", 25, "timings() has no members, and a path stands behind it")]
    [InlineData("where facet(name).x", 23, "facet() cannot stand as a condition; it stands in 'select'")]
    public void Any_other_call_is_malformed_and_told_what_is_meant(string clauses, int column, string message)
    {
        var error = Assert.Throws<QueryArgumentException>(() => QueryPlanner.Plan($"from Users as u {clauses}", RqlParameters.None));

        Assert.StartsWith(message, error.Message, StringComparison.Ordinal);
        Assert.Equal(new RqlPosition(1, column), error.Position);
        Assert.Contains($"(line 1, column {column})", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_function_that_the_query_declares_is_meant_too()
    {
        const string Query = "declare function output(u) { return u; } from Users as u select outptu(u)";
        var error = Assert.Throws<QueryArgumentException>(() => QueryPlanner.Plan(Query, RqlParameters.None));

        Assert.Contains("did you mean output()?", error.Message, StringComparison.Ordinal);
    }
}
