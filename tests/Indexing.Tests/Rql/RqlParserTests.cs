using Jackdaw.Indexing.Rql;
using Jackdaw.Indexing.Rql.Syntax;
using Xunit;

namespace Jackdaw.Indexing.Tests.Rql;

/// <summary>Queries that parse. The canonical text is the oracle for what was understood; shapes it cannot show are checked on
/// the tree.</summary>
public class RqlParserTests
{
    [Theory]
    // Sources.
    [InlineData("from Users", "from Users")]
    [InlineData("FROM \"Users\"", "from Users")]
    [InlineData("from 'Old Users' as u", "from 'Old Users' as u")]
    [InlineData("from 'It\\'s' as u", "from 'It\\'s' as u")]
    [InlineData("from 'It''s'", "from 'It\\'s'")]
    [InlineData("from @all_docs as d", "from @all_docs as d")]
    [InlineData("from '@ALL_docs'", "from @all_docs")]
    [InlineData("from @empty", "from @empty")]
    [InlineData("from index 'Users/ByName' as i", "from index 'Users/ByName' as i")]
    [InlineData("from INDEX \"Users/ByName\" where a = 1", "from index 'Users/ByName' where a = 1")]
    [InlineData("from index", "from 'index'")]
    [InlineData("from index as i where i.a = 1", "from 'index' as i where i.a = 1")]
    [InlineData("from Orders o where o.total > 5", "from Orders as o where o.total > 5")]
    [InlineData("from 'Users' (Revisions = true) as doc", "from Users (Revisions = true) as doc")]
    // Names that clients write without quotes.
    [InlineData("from U where first-name = $p0 and @metadata.my-key = 1", "from U where first-name = $p0 and @metadata.my-key = 1")]
    [InlineData("from U as u where u.first-name.user@home = -1", "from U as u where u.first-name.user@home = -1")]
    [InlineData("from U where from = 1 and and = 2 or not not = 3", "from U where from = 1 and 'and' = 2 or not 'not' = 3")]
    [InlineData("from U where exists(from) and search(Order, $p0, and)", "from U where exists(from) and search(Order, $p0, and)")]
    [InlineData("from U where Group in ($a) and order between 1 and 2", "from U where Group in ($a) and order between 1 and 2")]
    [InlineData("from U where true = false and 'null' != null", "from U where 'true' = false and 'null' != null")]
    [InlineData("from U order by Order as long desc, Group limit 5", "from U order by Order as long desc, Group limit 5")]
    [InlineData("from U select distinct From, Select.As as where include a", "from U select distinct From, Select.As as where include a")]
    [InlineData("from U include a.$Keys, a.$Values", "from U include a.'$Keys', a.'$Values'")]
    // What the clients' builders send.
    [InlineData("from 'Users' where name = $p0 limit $p1, $p2", "from Users where name = $p0 limit $p1, $p2")]
    [InlineData("from 'Users' where exists(name) and not name = $p0", "from Users where exists(name) and not name = $p0")]
    [InlineData("from 'Users' where true and not startsWith(name, $p0)", "from Users where true and not startsWith(name, $p0)")]
    [InlineData(
        "from 'Users' where boost(search(a, $p0) or search(b, $p1), $p2)",
        "from Users where boost(search(a, $p0) or search(b, $p1), $p2)"
    )]
    [InlineData("from Users where search(name, $p0, and)", "from Users where search(name, $p0, and)")]
    [InlineData("from Users where exact(name = $p0)", "from Users where exact(name = $p0)")]
    [InlineData(
        "from Users where proximity(search(name,$p0), 3) or fuzzy(name = $p1, 0.50)",
        "from Users where proximity(search(name, $p0), 3) or fuzzy(name = $p1, 0.50)"
    )]
    [InlineData("from Users where intersect(a = $p0, b = $p1) ", "from Users where intersect(a = $p0, b = $p1)")]
    [InlineData("from Users where moreLikeThis(id() = $p0, $p1) and age > 3", "from Users where moreLikeThis(id() = $p0, $p1) and age > 3")]
    [InlineData("from Users where moreLikeThis(true, { Fields: ['a)'] })", "from Users where moreLikeThis(true, { Fields: ['a)'] })")]
    [InlineData("from Users where name = cmpxchg($p0).'first name'.x[0]", "from Users where name = cmpxchg($p0).'first name'.x[0]")]
    [InlineData("from Users where at > now($offset) and on <> today()", "from Users where at > now($offset) and on != today()")]
    [InlineData(
        "from H where spatial.within(spatial.point(lat, lng), spatial.circle($r, $lat, "
            + "$lng, 'Miles'), 0.025) order by spatial.distance(f, spatial.point($a, $b), $c) desc",
        "from H where spatial.within(spatial.point(lat, lng), spatial.circle($r, $lat, "
            + "$lng, 'Miles'), 0.025) order by spatial.distance(f, spatial.point($a, $b), $c) desc"
    )]
    [InlineData(
        "from D where exact(vector.search(embedding.f32_i8(v), [1, -0.5, 2e-3], 0.7, 20))",
        "from D where exact(vector.search(embedding.f32_i8(v), [1, -0.5, 2e-3], 0.7, 20))"
    )]
    // Conditions.
    [InlineData(
        "from U where a == 1 AND b != 'x' Or not (c < 2 and d >= null)",
        "from U where a = 1 and b != 'x' or not (c < 2 and d >= null)"
    )]
    [InlineData("from U where ((a = 1))", "from U where a = 1")]
    [InlineData("from U where (a = 1 or b = 2) and c = 3", "from U where (a = 1 or b = 2) and c = 3")]
    [InlineData("from U where a = 1 or (b = 2 or c = 3)", "from U where a = 1 or (b = 2 or c = 3)")]
    [InlineData("from U where not not a = true", "from U where not not a = true")]
    [InlineData(
        "from U where a in ($p0) or b ALL IN ('x', 2, null, $p1) or c in ()",
        "from U where a in ($p0) or b all in ('x', 2, null, $p1) or c in ()"
    )]
    [InlineData("from U where a in $p0", "from U where a in ($p0)")]
    [InlineData("from U where all in (1) and all all in (2)", "from U where all in (1) and all all in (2)")]
    [InlineData("from U where a between $p0 and 5 and b between 'x' and 'y'", "from U where a between $p0 and 5 and b between 'x' and 'y'")]
    [InlineData("from U where id() = 'users/1' or id(u) in ('a')", "from U where id() = 'users/1' or id(u) in ('a')")]
    // Fields.
    [InlineData("from U where address.city = 1", "from U where address.city = 1")]
    [InlineData("from U where lines[].product = 1 and item[0].x = 2", "from U where lines[].product = 1 and item[0].x = 2")]
    [InlineData(
        "from U where 'quoted name' = 1 and \"order\" = 2 and u.order.'a.b' = 3",
        "from U where 'quoted name' = 1 and order = 2 and u.order.'a.b' = 3"
    )]
    [InlineData("from U where 'a b'.c['d e'] = 1", "from U where 'a b'.c.'d e' = 1")]
    [InlineData(
        "from U where @metadata.'@collection' = 'x' and @metadata.@last-modified > 1",
        "from U where @metadata.@collection = 'x' and @metadata.@last-modified > 1"
    )]
    [InlineData(
        "from U where größe = 1 and offset = 2 and filter = 3 filter limit > 4",
        "from U where größe = 1 and offset = 2 and filter = 3 filter limit > 4"
    )]
    // Strings and numbers.
    [InlineData(
        "from U where a = 'it''s' or a = \"say \"\"hi\"\"\" or a = 'C:\\\\x'",
        "from U where a = 'it\\'s' or a = 'say \"hi\"' or a = 'C:\\\\x'"
    )]
    [InlineData("from U where regex(a, '^\\d+\\.$')", "from U where regex(a, '^\\\\d+\\\\.$')")]
    [InlineData("from U where a = '\\u0041\\t\\n'", "from U where a = 'A\t\n'")]
    [InlineData(
        "from U where a = 9007199254740993 or a = 12.7500 or a = -1e+10",
        "from U where a = 9007199254740993 or a = 12.7500 or a = -1e+10"
    )]
    // Order, group, load, projections, includes.
    [InlineData(
        "from U order by name, age as LONG desc, x as double, y as alphanumeric ASC, z as string descending",
        "from U order by name, age as long desc, x as double, y as alphaNumeric, z as string desc"
    )]
    [InlineData(
        "from U order by random('seed'), score() desc, custom(a, 'Sorter'), 'group'",
        "from U order by random('seed'), score() desc, custom(a, 'Sorter'), group"
    )]
    [InlineData(
        "from O group by a, b.c, lines[].p, Array(tags) where count() > 1 order by count() as long select key() as k, sum(x) as y",
        "from O group by a, b.c, lines[].p, Array(tags) where count() > 1 order by count() as long select key() as k, sum(x) as y"
    )]
    [InlineData(
        "from O as o load o.company as c, o.lines[].p as ps[] select { n: c.name }",
        "from O as o load o.company as c, o.lines[].p as ps[] select { n: c.name }"
    )]
    [InlineData("from U select distinct a, b as c", "from U select distinct a, b as c")]
    [InlineData("from U select distinct *", "from U select distinct *")]
    [InlineData("from U select distinct", "from U select 'distinct'")]
    [InlineData("from U select distinct limit 5", "from U select 'distinct' limit 5")]
    [InlineData("from U select distinct limit, load limit 5", "from U select distinct limit, load limit 5")]
    [InlineData(
        "from U select @metadata.@nested-object-types as __PROJECTED_NESTED_OBJECT_TYPES__, id(), name as 'full name'",
        "from U select @metadata.@nested-object-types as __PROJECTED_NESTED_OBJECT_TYPES__, id(), name as 'full name'"
    )]
    [InlineData("from U select suggest(name, $p0, $p1) as s", "from U select suggest(name, $p0, $p1) as s")]
    [InlineData(
        "from O select facet(p, sum(total) as t, max(x)), facet(a < $p0, a >= $p1 and a < $p2) as n, facet(id('facets/1'))",
        "from O select facet(p, sum(total) as t, max(x)), facet(a < $p0, a >= $p1 and a < $p2) as n, facet(id('facets/1'))"
    )]
    [InlineData(
        "from U as u select timeseries(from HeartRate between $a and $b where Tag = ')' group by '1h' select avg()) as h",
        "from U as u select timeseries(from HeartRate between $a and $b where Tag = ')' group by '1h' select avg()) as h"
    )]
    [InlineData(
        "from U include a.b, 'lines[].p', counters(u, 'likes'), timeseries(u, "
            + "'HR', last(5, 'Minute')), highlight(f, 128, 2, $o), timings()",
        "from U include a.b, 'lines[].p', counters(u, 'likes'), timeseries(u, 'HR', last(5, 'Minute')), highlight(f, 128, 2, $o), timings()"
    )]
    // Paging.
    [InlineData("from U limit 5", "from U limit 5")]
    [InlineData("from U limit 5 offset 10", "from U limit 10, 5")]
    [InlineData("from U offset 10", "from U offset 10")]
    [InlineData("from U offset $a limit $b", "from U limit $a, $b")]
    [InlineData("from U limit null, 7", "from U limit null, 7")]
    [InlineData("from U filter a = 1 limit 1, 2 filter_limit $n", "from U filter a = 1 limit 1, 2 filter_limit $n")]
    // Any order, comments, lines.
    [InlineData("from U // all\r\n  limit 3 /* few */ where a = 1 // end", "from U where a = 1 limit 3")]
    public void A_query_prints_as_its_canonical_text(string query, string canonical) =>
        Assert.Equal(canonical, RqlPrinter.Print(RqlParser.Parse(query)));

    [Theory]
    [InlineData(
        "declare function output(u) {\n  var a = '}', b = \"{\", c = `}${ { x: '}' }.x }{`; "
            + "// }\n  /* } */\n  return { n: u.name };\n}\nfrom 'Users' as u select output(u)",
        "output",
        "u"
    )]
    [InlineData("declare function f(a, b = ')') { return /[}/]\\/}/.test(a) ? a / b / 2 : 0; } from U select f(x)", "f", "a, b = ')'")]
    [InlineData("declare function f() { if (a) /}/.exec(b); var i = c++ / 2; return x.return / 3; } from U", "f", "")]
    [InlineData("declare function f() { var s = 'line \\\n }'; for (;;) { break } } from U", "f", "")]
    [InlineData("declare function f() { c++ / 2; // }\n x.return / 3; // }\n } from U", "f", "")]
    public void A_declared_function_is_kept_as_its_text(string query, string name, string parameters)
    {
        var tree = RqlParser.Parse(query);

        var function = Assert.IsType<RqlFunctionDeclaration>(Assert.Single(tree.Declarations));
        Assert.Equal(name, function.Name);
        Assert.Equal(parameters, function.Parameters);
        Assert.Equal(
            query[query.IndexOf(" {", StringComparison.Ordinal)..(query.LastIndexOf("from ", StringComparison.Ordinal) - 1)].Trim(),
            function.Body.Text
        );
    }

    [Fact]
    public void Declarations_updates_and_object_projections_keep_their_text()
    {
        var tree = RqlParser.Parse(
            """
            declare timeseries ts(u) {
              from u.HeartRate between $from and $to where Tag = '}' group by '1h' select avg()
            }
            declare function f(u) { return u }
            from Users as u
            select { a: f(u), b: `}` }
            """
        );

        Assert.Equal(["ts", "f"], tree.Declarations.Select(d => d.Name));
        Assert.Contains("Tag = '}'", Assert.IsType<RqlTimeSeriesDeclaration>(tree.Declarations[0]).Body.Text, StringComparison.Ordinal);
        Assert.Equal("{ a: f(u), b: `}` }", Assert.IsType<RqlObject>(Assert.Single(tree.Select!.Items).Expression).Script.Text);
        Assert.Equal("{ this.a = '}' }", RqlParser.Parse("from U where a = 1 update { this.a = '}' }").Update!.Text);
    }

    [Fact]
    public void And_binds_tighter_than_or_and_not_tighter_than_and()
    {
        var where = RqlParser.Parse("from U where a = 1 or not b = 2 and c = 3 or d = 4").Where;

        var or = Assert.IsType<RqlLogical>(where);
        Assert.Equal(RqlLogicalOperator.Or, or.Operator);
        Assert.Equal(3, or.Operands.Count);
        var and = Assert.IsType<RqlLogical>(or.Operands[1]);
        Assert.Equal(RqlLogicalOperator.And, and.Operator);
        Assert.IsType<RqlComparison>(Assert.IsType<RqlNot>(and.Operands[0]).Operand);
    }

    [Fact]
    public void Quotes_name_a_field_on_the_left_and_a_text_on_the_right()
    {
        var comparison = Assert.IsType<RqlComparison>(RqlParser.Parse("from U where 'a.b' = 'c'").Where);

        Assert.Equal(new RqlField([new RqlProperty("a.b")]), comparison.Left);
        Assert.Equal(new RqlString("c"), comparison.Right);
    }

    [Fact]
    public void Nodes_know_their_lines_and_columns()
    {
        var query = RqlParser.Parse("from Users\r\nwhere a = 1\n  and b.c in ('x')");

        var and = Assert.IsType<RqlLogical>(query.Where);
        Assert.Equal(new RqlPosition(2, 7), and.Operands[0].At);
        Assert.Equal(new RqlPosition(3, 7), and.Operands[1].At);
        Assert.Equal(new RqlPosition(3, 15), Assert.IsType<RqlIn>(and.Operands[1]).Values[0].At);
        Assert.Equal(new RqlPosition(1, 6), query.From.At);
    }
}
