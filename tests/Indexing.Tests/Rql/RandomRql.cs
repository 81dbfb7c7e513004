using System.Globalization;
using Jackdaw.Indexing.Rql.Syntax;

namespace Jackdaw.Indexing.Tests.Rql;

/// <summary>Makes random trees of the shapes that the parser makes.</summary>
internal sealed class RandomRql(Random random)
{
    private static readonly string[] _names =
    [
        "name",
        "first-name",
        "user@home",
        "from",
        "and",
        "not",
        "in",
        "true",
        "$Keys",
        "u",
        "order",
        "limit",
        "Größe",
        "a b",
        "it's",
        "back\\slash",
        "@metadata",
        "@last-modified",
        "x1",
        "all",
        "null",
        "by",
        "x-y",
        "1st",
        "distinct",
        "desc",
    ];

    private static readonly string[] _identifiers = ["name", "u", "limit", "order", "as", "x1", "Übung", "_t", "@id", "from"];

    private static readonly string[] _methods = ["exists", "search", "spatial.within", "load", "a.b.c", "count", "filter", "distinct"];

    private static readonly string[] _scripts = ["{}", "{ return '}' }", "{ a: `${'}'}` }", "{ x = /}/; /* } */ }", "{\n // }\n}"];

    private static readonly string[] _texts = ["", "x", "it's", "\"", "\\", "\\d+", "a\nb", "ü😀", "\t", "//", "/*"];

    public RqlQuery Query() =>
        new()
        {
            Declarations = Some(2, Declaration),
            From = From(),
            GroupBy = Some<RqlExpression>(2, () => Flip() ? Field() : Call(2)),
            Where = Maybe(() => Condition(4)),
            OrderBy = Some(3, () => new RqlOrdering(Flip() ? Field() : Call(2), (RqlOrderingType)random.Next(5), Flip())),
            Load = Some(2, () => new RqlLoad(Operand(2), Identifier(), Flip())),
            Filter = Maybe(() => Condition(3)),
            Select = Maybe(Select),
            Include = Some(3, () => Operand(2)),
            Update = Maybe(Script),
            Offset = Maybe(Count),
            Limit = Maybe(Count),
            FilterLimit = Maybe(Count),
        };

    private RqlDeclaration Declaration() =>
        Flip()
            ? new RqlFunctionDeclaration(Identifier(), Pick("", "a", "a, b"), Script())
            : new RqlTimeSeriesDeclaration(Identifier(), Pick("", "u"), new RqlScript("{ from HeartRate where Tag = '}' }"));

    private RqlFrom From()
    {
        var alias = Maybe(Identifier);
        var filter = Maybe(() => Condition(1));
        return random.Next(3) switch
        {
            0 => new RqlFrom(RqlSourceKind.Index, Pick(_names), alias, filter),
            1 => new RqlFrom(RqlSourceKind.AllDocuments, RqlFrom.AllDocumentsName, alias, filter),
            _ => new RqlFrom(RqlSourceKind.Collection, Pick([.. _names, "index", "Users/x"]), alias, filter),
        };
    }

    private RqlSelect Select() =>
        random.Next(4) == 0
            ? new RqlSelect(Flip(), [new RqlSelectItem(new RqlObject(Script()), null)])
            : new RqlSelect(Flip(), AtLeastOne(3, SelectItem));

    private RqlSelectItem SelectItem() =>
        random.Next(6) switch
        {
            0 => new RqlSelectItem(new RqlStar(), null),
            1 => new RqlSelectItem(new RqlTimeSeriesQuery("from x where a = ')' /* ) */ "), Maybe(() => Pick(_names))),
            2 => new RqlSelectItem(Call(2), Maybe(() => Pick(_names))),
            _ => new RqlSelectItem(Field(), Maybe(() => Pick(_names))),
        };

    private RqlExpression Condition(int depth) =>
        (depth == 0 ? random.Next(5) : random.Next(8)) switch
        {
            0 => new RqlComparison((RqlComparisonOperator)random.Next(6), LeftSide(depth), Operand(depth)),
            1 => new RqlIn(LeftSide(depth), Some(3, () => Operand(depth)), Flip()),
            2 => new RqlBetween(LeftSide(depth), Operand(depth), Operand(depth)),
            3 => new RqlBoolean(Flip()),
            4 => Call(depth),
            5 => new RqlNot(Condition(depth - 1)),
            _ => new RqlLogical((RqlLogicalOperator)random.Next(2), [Condition(depth - 1), .. AtLeastOne(3, () => Condition(depth - 1))]),
        };

    private RqlExpression LeftSide(int depth) => Flip() ? Field() : Call(depth);

    /// <summary>What can stand where text in quotes is a text: there a field of one segment needs a name that is printed without
    /// quotes.</summary>
    private RqlExpression Operand(int depth) =>
        random.Next(depth > 0 ? 8 : 6) switch
        {
            0 => new RqlString(Pick(_texts)),
            1 => new RqlNumber(Pick("0", "-1", "12.7500", "9007199254740993", "1e-7")),
            2 => new RqlParameter(Pick("p0", "1", "_x", "größe")),
            3 => new RqlBoolean(Flip()),
            4 => new RqlNull(),
            5 => new RqlField([new RqlProperty(Pick("name", "u", "limit", "from", "Order", "first-name")), .. Some(2, Segment)]),
            6 => new RqlArray(Some(3, () => Operand(depth - 1))),
            _ => Call(depth - 1),
        };

    private RqlMethodCall Call(int depth) =>
        new(Pick(_methods), depth <= 0 ? [] : Some(3, () => Argument(depth - 1)), random.Next(4) == 0 ? Some(2, Segment) : []);

    private RqlExpression Argument(int depth) =>
        random.Next(8) switch
        {
            0 => Condition(depth),
            1 => new RqlOperatorArgument((RqlLogicalOperator)random.Next(2)),
            2 => new RqlObject(Script()),
            3 => new RqlStar(),
            4 => new RqlNamedArgument(Operand(depth), Pick(_names)),
            _ => Operand(depth),
        };

    private RqlField Field() => new([new RqlProperty(Pick(_names)), .. Some(3, Segment)]);

    private RqlPathSegment Segment() =>
        random.Next(4) switch
        {
            0 => new RqlEachElement(),
            1 => new RqlElementAt(random.Next(10)),
            _ => new RqlProperty(Pick(_names)),
        };

    private RqlExpression Count() =>
        random.Next(3) switch
        {
            0 => new RqlParameter("p" + random.Next(9).ToString(CultureInfo.InvariantCulture)),
            1 => new RqlNull(),
            _ => new RqlNumber(random.Next(100).ToString(CultureInfo.InvariantCulture)),
        };

    private RqlScript Script() => new(Pick(_scripts));

    private string Identifier() => Pick(_identifiers);

    private string Pick(params string[] of) => of[random.Next(of.Length)];

    private bool Flip() => random.Next(2) == 0;

    private T? Maybe<T>(Func<T> make)
        where T : class => Flip() ? make() : null;

    private RqlList<T> Some<T>(int atMost, Func<T> make) => [.. Enumerable.Range(0, random.Next(atMost + 1)).Select(_ => make())];

    private RqlList<T> AtLeastOne<T>(int atMost, Func<T> make) => [make(), .. Some(atMost - 1, make)];
}
