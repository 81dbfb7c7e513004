namespace Jackdaw.Server.Tests.Endpoints.Queries.Differences;

/// <summary>A condition as RQL, and what it says of a document.</summary>
internal sealed record RandomCondition(string Rql, Func<PlainDocument, bool> Fits)
{
    private static readonly (string Rql, string[] Path)[] s_fields =
    [
        ("a", ["a"]),
        ("b.c", ["b", "c"]),
        ("t[].u", ["t", "[]", "u"]),
        ("'d e'", ["d e"]),
        ("u.a", ["a"]),
        ("@metadata.m", ["@metadata", "m"]),
    ];

    private static readonly string[] s_patterns = ["^b", "b$", "[a-c]o", "x.*y", "^$", "^.$", "5", "^k$", "^[A-Z]", "ö|ß", "\\d{4}-\\d\\d"];

    public static RandomCondition Next(Random random, int depth, bool isExact = false)
    {
        if (depth > 0 && random.Next(3) == 0)
            return Compound(random, depth, isExact);
        if (!isExact && random.Next(10) == 0)
            return OfId(random);
        var (rql, path) = s_fields[random.Next(s_fields.Length)];
        var (value, other) = (Value(random), Value(random));
        return random.Next(12) switch
        {
            0 or 1 => Any($"{rql} = {Shown(value)}", path, v => PlainCondition.AreEqual(v, value, isExact)),
            2 => Not($"{rql} != {Shown(value)}", Any("", path, v => PlainCondition.AreEqual(v, value, isExact))),
            3 => Range(random, rql, path, value, isExact),
            4 => Between(rql, path, value, other, isExact),
            5 => Any(
                $"{rql} in ({Shown(value)}, {Shown(other)})",
                path,
                v => PlainCondition.AreEqual(v, value, isExact) || PlainCondition.AreEqual(v, other, isExact)
            ),
            6 => new(
                $"{rql} all in ({Shown(value)}, {Shown(other)})",
                d =>
                    d.ValuesOf(path).Any(v => PlainCondition.AreEqual(v, value, isExact))
                    && d.ValuesOf(path).Any(v => PlainCondition.AreEqual(v, other, isExact))
            ),
            7 => new($"exists({rql})", d => d.ValuesOf(path).Count > 0),
            8 => Any($"startsWith({rql}, {Quoted(value.Text)})", path, v => PlainCondition.StartsWith(v, value.Text, isExact)),
            9 => Any($"endsWith({rql}, {Quoted(value.Text)})", path, v => PlainCondition.EndsWith(v, value.Text, isExact)),
            10 => Pattern(random, rql, path, isExact),
            _ => Any($"{rql} = {Shown(value)}", path, v => PlainCondition.AreEqual(v, value, isExact)),
        };
    }

    private static RandomCondition Compound(Random random, int depth, bool isExact)
    {
        var (one, two) = (Next(random, depth - 1, isExact), Next(random, depth - 1, isExact));
        switch (random.Next(5))
        {
            case 0:
                return new($"({one.Rql} and {two.Rql})", d => one.Fits(d) && two.Fits(d));
            case 1:
                return new($"({one.Rql} or {two.Rql})", d => one.Fits(d) || two.Fits(d));
            case 2:
                return new($"({one.Rql} and not ({two.Rql}))", d => one.Fits(d) && !two.Fits(d));
            case 3:
                return Not($"not ({one.Rql})", one);
            default:
                var exact = Next(random, depth - 1, isExact: true);
                return new($"exact({exact.Rql})", exact.Fits);
        }
    }

    private static RandomCondition OfId(Random random)
    {
        int number = random.Next(40);
        return random.Next(3) switch
        {
            0 => new($"id() = 'DOCS/{number}'", d => d.Id == $"docs/{number}"),
            1 => new($"id() in ('docs/{number}', 'docs/7')", d => d.Id == $"docs/{number}" || d.Id == "docs/7"),
            _ => new($"startsWith(id(), 'Docs/{number % 10}')", d => d.Id.StartsWith($"docs/{number % 10}", StringComparison.Ordinal)),
        };
    }

    private static RandomCondition Range(Random random, string rql, string[] path, PlainValue value, bool isExact)
    {
        PlainValue? end = value.Kind == PlainKind.Null ? null : value;
        return random.Next(4) switch
        {
            0 => Any($"{rql} > {Shown(value)}", path, v => PlainCondition.IsInside(v, Start(end), false, null, false, isExact)),
            1 => Any($"{rql} >= {Shown(value)}", path, v => PlainCondition.IsInside(v, Start(end), true, null, false, isExact)),
            2 => Any($"{rql} < {Shown(value)}", path, v => PlainCondition.IsInside(v, null, false, end, false, isExact)),
            _ => Any($"{rql} <= {Shown(value)}", path, v => PlainCondition.IsInside(v, null, false, end, true, isExact)),
        };
    }

    private static RandomCondition Between(string rql, string[] path, PlainValue low, PlainValue high, bool isExact)
    {
        if (high.Kind != low.Kind)
            high = low;
        PlainValue? from = low.Kind == PlainKind.Null ? null : Start(low);
        PlainValue? to = high.Kind == PlainKind.Null ? null : high;
        return Any($"{rql} between {Shown(low)} and {Shown(high)}", path, v => PlainCondition.IsInside(v, from, true, to, true, isExact));
    }

    /// <summary>The text <c>*</c> is an open start.</summary>
    private static PlainValue? Start(PlainValue? end) => end is { Kind: PlainKind.Text, Text: "*" } ? null : end;

    private static RandomCondition Pattern(Random random, string rql, string[] path, bool isExact)
    {
        string pattern = s_patterns[random.Next(s_patterns.Length)];
        return Any($"regex({rql}, {Quoted(pattern)})", path, v => PlainCondition.Matches(v, pattern, isExact));
    }

    private static RandomCondition Any(string rql, string[] path, Func<PlainValue, bool> fits) => new(rql, d => d.ValuesOf(path).Any(fits));

    private static RandomCondition Not(string rql, RandomCondition condition) => new(rql, d => !condition.Fits(d));

    private static PlainValue Value(Random random) =>
        random.Next(8) switch
        {
            0 => new PlainValue(PlainKind.Null),
            1 or 2 or 3 => new PlainValue(PlainKind.Number, RandomDocuments.Numbers[random.Next(RandomDocuments.Numbers.Length)]),
            4 => new PlainValue(PlainKind.Text, random.Next(2) == 0 ? "true" : "{\"w\":null}"),
            _ => new PlainValue(PlainKind.Text, RandomDocuments.Texts[random.Next(RandomDocuments.Texts.Length)]),
        };

    private static string Shown(PlainValue value) =>
        value.Kind switch
        {
            PlainKind.Null => "null",
            PlainKind.Number => value.Text,
            _ => Quoted(value.Text),
        };

    private static string Quoted(string text) =>
        "'" + text.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("'", "\\'", StringComparison.Ordinal) + "'";
}
