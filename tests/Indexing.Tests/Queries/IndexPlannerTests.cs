using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Queries;
using Jackdaw.Indexing.Rql;
using Jackdaw.Search;
using Jackdaw.Search.Queries;
using Xunit;

namespace Jackdaw.Indexing.Tests.Queries;

/// <summary>What an index is asked. What the conditions mean for values is told by the tables of docs/queries.md and their tests.</summary>
public class IndexPlannerTests
{
    [Theory]
    [InlineData("name = 'Bob'", "name = 'Bob'")]
    [InlineData("name == 'Bob'", "name = 'Bob'")]
    [InlineData("name != 'Bob'", "not (name = 'Bob')")]
    [InlineData("u.name = null", "name = null")]
    [InlineData("active = true", "active = 'true'")]
    [InlineData("age = 5", "age in ('5', 5)")]
    [InlineData("age = '5'", "age in ('5', 5)")]
    [InlineData("age = 5.0", "age in ('5.0', 5, '5')")]
    [InlineData("age = '5 '", "age = '5 '")]
    [InlineData("age = '05'", "age = '05'")]
    [InlineData("age = 9007199254740993", "age in ('9007199254740993', 9007199254740993)")]
    [InlineData("age = 1e400", "age = '1e400'")]
    [InlineData("age between 1 and -007", "1 <= age <= -7")]
    [InlineData("age = 00", "age in ('0', 0)")]
    [InlineData("age < 5", "age < 5")]
    [InlineData("age >= 5", "5 <= age")]
    [InlineData("name > 'b'", "'b' < name")]
    [InlineData("name <= 'b'", "name <= 'b'")]
    [InlineData("age > null", "age is a number or a text")]
    [InlineData("age > '*'", "age is a number or a text")]
    [InlineData("age < 'NULL'", "age is a number or a text")]
    [InlineData("age < '*'", "age < '*'")]
    [InlineData("age between 1 and 5", "1 <= age <= 5")]
    [InlineData("age between '*' and 5", "age <= 5")]
    [InlineData("age between 5 and 'NULL'", "5 <= age")]
    [InlineData("name in ('a', null, 1)", "name in ('a', null, '1', 1)")]
    [InlineData("name in ()", "nothing")]
    [InlineData("name in ($list, 'c')", "name in ('a', 'b', 'c')")]
    [InlineData("name all in ('a', 1)", "(name = 'a' and name in ('1', 1))")]
    [InlineData("name all in ()", "()")]
    [InlineData("exists(name)", "exists(name)")]
    [InlineData("exists(id())", "everything")]
    [InlineData("exists(name) and not name = 'x'", "(exists(name) and not (name = 'x'))")]
    [InlineData("true and not (a = 'x' or b = 'y')", "(everything and not ((a = 'x' or b = 'y')))")]
    [InlineData("startsWith(name, 'b')", "startsWith(name, 'b')")]
    [InlineData("endsWith(u.name, 'b')", "endsWith(name, 'b')")]
    [InlineData("regex(name, '^b')", "regex(name, '^b')")]
    [InlineData("regex(name, '^B')", "regex(name, '(?i)^B')")]
    [InlineData("exact(regex(name, '^B'))", "regex(exact(name), '^B')")]
    [InlineData("search(name, 'red blue')", "search(name) has any of 'red blue'")]
    [InlineData("search('full name', 'red', and)", "search('full name') has all of 'red'")]
    [InlineData("search(name, '\"red wine\"')", "search(name) has any of \"red wine\"")]
    [InlineData("search(name, 'cheap \"red wine\" fruit \"x y\"', and)", "search(name) has all of 'cheap   fruit', \"red wine\", \"x y\"")]
    [InlineData("search(name, '12\" pipe 14\" tube')", "search(name) has any of '12\" pipe 14\" tube'")]
    [InlineData("search(name, 'red \"wine')", "search(name) has any of 'red \"wine'")]
    [InlineData("search(name, '(\"red wine\")')", "search(name) has any of '( )', \"red wine\"")]
    [InlineData("search(name, '\"\" red')", "search(name) has any of 'red', \"\"")]
    [InlineData("search(name, '*\"red wine\"* x*')", "search(name) has any of 'x*', \"red wine\"")]
    [InlineData("search(name, $quoted)", "search(name) has any of 'x \\\"y', \"12\" pipe\"")]
    [InlineData("exact(name = 'Bob')", "exact(name) = 'Bob'")]
    [InlineData("exact(age = 5)", "exact(age) in ('5', 5)")]
    [InlineData("exact(startsWith(name, 'B')) and name = 'b'", "(startsWith(exact(name), 'B') and name = 'b')")]
    [InlineData("exact(name between 'B' and 'C')", "'B' <= exact(name) <= 'C'")]
    [InlineData("boost(name = 'a', 2)", "name = 'a'")]
    [InlineData("id() = 'users/1' and name = 'a'", "(id() = 'users/1' and name = 'a')")]
    [InlineData("id() > 'users/1'", "'users/1' < id()")]
    [InlineData("not id() in ('users/1', 5)", "not (id() in ('users/1', '5'))")]
    [InlineData("@metadata.'@collection' = 'Users'", "@metadata.@collection = 'Users'")]
    [InlineData("@metadata.@last-modified > '2020'", "'2020' < @metadata.@last-modified")]
    [InlineData("lines[].product.name = 'x'", "lines[].product.name = 'x'")]
    [InlineData("'a.b'.c = 'x'", "'a.b'.c = 'x'")]
    [InlineData("born = '2026-11-22T11:00:00+01:00'", "born = '2026-11-22T10:00:00.0000000Z'")]
    [InlineData("born in ('2026-11-22', '2026-11', null)", "born in ('2026-11-22T00:00:00.0000000Z', '2026-11', null)")]
    [InlineData("born >= '2026-11-22' and born < '2027'", "('2026-11-22T00:00:00.0000000Z' <= born and born < '2027')")]
    [InlineData("startsWith(born, '2026-11-22')", "startsWith(born, '2026-11-22')")]
    [InlineData("exact(born > '2026-11-22')", "'2026-11-22' < exact(born)")]
    [InlineData("id() = '2026-11-22' and born != null", "(id() = '2026-11-22' and not (born = null))")]
    public void A_condition_is_asked_of_the_index(string where, string asked)
    {
        var plan = Plan($"from Users as u where {where}", """{"list": ["a", "b"], "quoted": "x \\\"y \"12\\\" pipe\""}""");

        Assert.Equal(asked, SearchQueryText.Of(plan.Query));
    }

    [Theory]
    [InlineData("order by name", "name")]
    [InlineData("order by name desc, age as long", "name desc, age as number")]
    [InlineData("order by age as double desc, id()", "age as number desc, id()")]
    [InlineData("order by u.no as alphaNumeric", "no as alphaNumeric")]
    [InlineData("where name = 'x' order by id() desc", "id() desc")]
    [InlineData("order by random('seed')", "random")]
    [InlineData("where name = 'x'", "")]
    public void An_order_is_asked_of_the_index(string clauses, string order)
    {
        var plan = Plan($"from Users as u {clauses}");

        Assert.Equal(order, string.Join(", ", plan.Order.Select(SearchQueryText.Of)));
    }

    [Fact]
    public void A_number_is_a_number_however_many_digits_it_has()
    {
        var range = Assert.IsType<SearchQuery.Range>(Plan("from Users where age < 1" + new string('0', 500)).Query);

        Assert.Equal(new SearchValue.Number(new SearchNumber(double.MaxValue)), range.To);
    }

    [Fact]
    public void The_seed_of_a_random_order_is_the_one_given_or_another_one_each_time()
    {
        Assert.Equal("7", Assert.Single(Plan("from Users order by random('7')").Order).Seed);
        Assert.False(Plan("from Users order by random('7')").IsRandom);
        Assert.True(Plan("from Users order by random()").IsRandom);
        Assert.NotEqual(Plan("from Users order by random()").Order[0].Seed, Plan("from Users order by random()").Order[0].Seed);
    }

    [Fact]
    public void The_wanted_fields_are_those_of_conditions_and_orders_each_once_in_order()
    {
        var plan = Plan("from Users as u where (u.name = 'x' or search(name, 'y')) and exact(b.c = 'z') order by age, name");

        Assert.Equal("Users", plan.Wanted.Collection);
        Assert.Equal(
            [new AutoIndexField("age"), new AutoIndexField("b.c", HasExact: true), new AutoIndexField("name", HasSearch: true)],
            plan.Wanted.Fields
        );
    }

    [Fact]
    public void All_documents_have_no_collection_and_a_named_index_keeps_its_name()
    {
        Assert.Null(Plan("from @all_docs where a = 'x'").Wanted.Collection);
        Assert.Null(Plan("from @all_docs where a = 'x'").Name);
        Assert.Equal("Auto/Users/ByName", Plan("from index 'Auto/Users/ByName'").Name);
        Assert.IsType<SearchQuery.All>(Plan("from index 'Auto/Users/ByName'").Query);
    }

    [Theory]
    [InlineData("from Users")]
    [InlineData("from Users where true order by id()")]
    [InlineData("from Users where id() = 'a' or id() in ('b')")]
    [InlineData("from Users where startsWith(id(), 'b') order by id() desc")]
    public void What_a_collection_answers_needs_no_index(string query) => Assert.Null(QueryPlanner.Plan(query, RqlParameters.None).Index);

    [Theory]
    [InlineData("from Users where id() = 'a' and id() = 'b'")]
    [InlineData("from Users where id() = 'a' or startsWith(id(), 'b')")]
    [InlineData("from Users order by id() as alphaNumeric")]
    [InlineData("from Users order by random()")]
    [InlineData("from Users where not id() = 'a'")]
    public void What_a_collection_does_not_answer_asks_an_index_of_ids(string query) => Assert.Empty(Plan(query).Wanted.Fields);

    [Theory]
    [InlineData("where lucene(name, 'a*')", "lucene()", 24)]
    [InlineData("where fuzzy(name = 'a', 0.5)", "fuzzy()", 24)]
    [InlineData("where proximity(search(name, 'a b'), 3)", "proximity()", 24)]
    [InlineData("where intersect(a = 1, b = 1)", "intersect()", 24)]
    [InlineData("where moreLikeThis(id() = 'a')", "moreLikeThis()", 24)]
    [InlineData("where spatial.within(a, spatial.circle(1, 2, 3))", "spatial.within()", 24)]
    [InlineData("where vector.search(a, 'b')", "vector.search()", 24)]
    [InlineData("where name = cmpxchg('a')", "cmpxchg()", 31)]
    [InlineData("where name = now().Date", "a property of now()", 31)]
    [InlineData("where name = other", "another field", 31)]
    [InlineData("where items[0] = 1", "one element of an array", 24)]
    [InlineData("where search(name, '\"red wine\"~3')", "a distance between the words of a phrase", 37)]
    [InlineData("where search(id(), 'a')", "search() in id()", 24)]
    [InlineData("order by score()", "score()", 27)]
    [InlineData("order by spatial.distance(a, spatial.point(1, 2))", "spatial.distance()", 27)]
    [InlineData("order by custom(a, 'b')", "custom()", 27)]
    public void What_no_index_answers_yet_is_named_with_its_place(string clauses, string what, int column)
    {
        var error = Assert.Throws<QueryNotSupportedException>(() => Plan($"from Users as u {clauses}"));

        Assert.Contains(what, error.What, StringComparison.Ordinal);
        Assert.Equal(new RqlPosition(1, column - 1), error.Position);
    }

    [Theory]
    [InlineData("where age between 1 and 'z'", "both be numbers or both be texts")]
    [InlineData("where startsWith(name)", "takes 2 arguments")]
    [InlineData("where startsWith(name, null)", "takes a text, not null")]
    [InlineData("where exact(search(name, 'a'))", "cannot stand inside exact()")]
    [InlineData("where search(name, 'a', 'b')", "'and' or 'or'")]
    [InlineData("where id()", "no condition by itself")]
    [InlineData("where 5 = 5", "A field must stand here")]
    [InlineData("order by random(1, 2)", "takes a seed")]
    public void What_makes_no_sense_is_refused_with_its_place(string clauses, string reason)
    {
        var error = Assert.Throws<QueryArgumentException>(() => Plan($"from Users as u {clauses}"));

        Assert.Contains(reason, error.Message, StringComparison.Ordinal);
        Assert.Contains("line 1, column", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("where name = $p", """{"p": [1]}""", "an array; 'in' takes several")]
    [InlineData("where name = $p", """{"p": {}}""", "an object")]
    [InlineData("where name in ($p)", """{"p": [[1]]}""", "an array")]
    [InlineData("where name = $q", """{"p": 1}""", "no value of that name")]
    [InlineData("where name = $p", """{"p": "\ud800"}""", "surrogate")]
    public void A_parameter_of_the_wrong_kind_is_refused(string clauses, string parameters, string reason)
    {
        var error = Assert.Throws<QueryParameterException>(() => Plan($"from Users as u {clauses}", parameters));

        Assert.Contains(reason, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Seventy_thousand_values_of_a_list_are_one_condition()
    {
        var ids = string.Join(',', Enumerable.Range(0, 70_000).Select(i => $"\"x{i}\""));

        var plan = Plan("from Users where name in ($list)", $$"""{"list": [{{ids}}]}""");

        Assert.Equal(70_000, Assert.IsType<SearchQuery.In>(plan.Query).Values.Count);
    }

    [Fact]
    public void Numbers_keep_what_a_double_does_not_hold()
    {
        var plan = Plan("from Users where a > 9007199254740993");

        var from = Assert.IsType<SearchValue.Number>(Assert.IsType<SearchQuery.Range>(plan.Query).From);
        Assert.Equal(new SearchNumber(9007199254740992, 1), from.Value);
    }

    private static IndexPlan Plan(string query, string parameters = "{}")
    {
        var plan = QueryPlanner.Plan(query, RqlParameters.Parse(parameters)).Index;
        Assert.NotNull(plan);
        return plan;
    }
}
