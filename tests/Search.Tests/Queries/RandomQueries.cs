using FsCheck;
using FsCheck.Fluent;
using Jackdaw.Search.Queries;

namespace Jackdaw.Search.Tests.Queries;

/// <summary>Trees of conditions on the fields of the model, and smaller ones in place of one that fails.</summary>
internal static class RandomQueries
{
    private static readonly string[] s_fields = ["Name", "Exact Name", "Total", "Tags", "Body", "Summary", "Nowhere"];

    private static readonly string[] s_texts =
    [
        "",
        "apple",
        "pear/1",
        "Pear/17",
        "plum/2",
        "Olive/299",
        "n1",
        "n3",
        "kiwi",
        "the",
        "apple lemon",
        "fig the melon",
        "ärger ωmega 2",
        "Ärger Ωmega 4",
        new string('b', 500),
    ];

    private static readonly string[] s_parts = ["", "a", "an", "pe", "Pe", "e/1", "/2", "ega", "0", "go7", "Ä", "bbb", "cherry/"];

    private static readonly string[] s_wildcards =
    [
        "*",
        "?*",
        "p*",
        "*/1?",
        "pe?r*",
        "*a*e*",
        "Ä*",
        "??",
        "kiwi",
        "n?",
        "*9",
        "ch*/*1",
        "?r*",
    ];

    private static readonly string[] s_expressions =
    [
        "^pe",
        "^(pear|plum)",
        "a.*e",
        "[0-9]{2}$",
        "^n?",
        "^pear/1+",
        "Ω",
        "^$",
        "^b{500}",
        "x",
    ];

    private static readonly string[] s_words =
    [
        "apple",
        "apple lemon",
        "the",
        "app* the",
        "*on",
        "*err*",
        "fig *e quince",
        "",
        "mango12 kiw*",
        "*",
        "a*e",
        "*e*o* fig",
        "fig-le*",
        "*rry-*",
        "-* k*i-*wi*",
    ];

    /// <summary>Words of phrases: some that many entries have, some that few have, some that no index keeps.</summary>
    private static readonly string[] s_phraseWords =
    [
        "apple",
        "pear",
        "Plum",
        "fig",
        "olive",
        "melon",
        "kiwi",
        "kiwi",
        "the",
        "and",
        "mango12",
        "fig3",
        "lemon44",
        "nowhere",
    ];

    public static Arbitrary<SearchQuery> All => Arb.From(Tree(3), Smaller);

    /// <summary>Phrases alone, or beside words.</summary>
    public static Arbitrary<SearchQuery> OfPhrases => Arb.From(Phrases, Smaller);

    private static Gen<string> Field => Gen.Elements(s_fields);

    private static Gen<SearchValue> Value =>
        Gen.OneOf<SearchValue>(
            Gen.Elements(s_texts).Select(text => (SearchValue)new SearchValue.Text(text)),
            Number,
            Gen.Elements(SearchValue.Null, SearchValue.EmptyArray)
        );

    private static Gen<SearchValue> Number =>
        Gen.OneOf<SearchValue>(
            Gen.Choose(-25, 25).Select(number => (SearchValue)Of(number)),
            Gen.Choose(0, 9).Select(number => (SearchValue)Of((1L << 53) + number)),
            Gen.Choose(-60, 60).Select(number => (SearchValue)new SearchValue.Number(new SearchNumber(number / 4.0)))
        );

    private static Gen<SearchQuery> Tree(int depth) => depth == 0 ? Leaf : Gen.Frequency((3, Leaf), (4, Branch(depth - 1)));

    private static Gen<SearchQuery> Branch(int depth)
    {
        var some = Tree(depth).ListOf();
        return Gen.OneOf(
            some.Select(of => (SearchQuery)new SearchQuery.And([.. of.Take(4)])),
            some.Select(of => (SearchQuery)new SearchQuery.Or([.. of.Take(20)])),
            Tree(depth).Select(of => (SearchQuery)new SearchQuery.Not(of))
        );
    }

    private static Gen<SearchQuery> Leaf =>
        Gen.Frequency(
            (1, Gen.Constant<SearchQuery>(new SearchQuery.All())),
            (1, Gen.Constant<SearchQuery>(new SearchQuery.None())),
            (5, from name in Field from value in Value select (SearchQuery)new SearchQuery.Term(name, value)),
            (4, from name in Field from values in Value.ListOf() from all in Bool select (SearchQuery)In(name, values, all)),
            (3, from name in Field from text in Gen.Elements(s_parts) select (SearchQuery)new SearchQuery.Prefix(name, text)),
            (2, from name in Field from text in Gen.Elements(s_parts) select (SearchQuery)new SearchQuery.Suffix(name, text)),
            (2, from name in Field from text in Gen.Elements(s_parts) select (SearchQuery)new SearchQuery.Contains(name, text)),
            (3, from name in Field from text in Gen.Elements(s_wildcards) select (SearchQuery)new SearchQuery.Wildcard(name, text)),
            (3, from name in Field from text in Gen.Elements(s_expressions) select (SearchQuery)new SearchQuery.Regex(name, text)),
            (6, Range),
            (3, from name in Field select (SearchQuery)new SearchQuery.Exists(name)),
            (
                4,
                from name in Field
                from text in Gen.Elements(s_words)
                from all in Bool
                select (SearchQuery)new SearchQuery.Words(name, text, all)
            ),
            (3, Phrases)
        );

    /// <summary>One field of words keeps no positions, and cannot be asked for phrases.</summary>
    private static Gen<SearchQuery> Phrases =>
        from name in Gen.Frequency((8, Gen.Constant("Body")), (1, Gen.Elements("Name", "Exact Name", "Nowhere")))
        from text in Gen.Frequency((3, Gen.Constant("")), (1, Gen.Elements(s_words)))
        from phrases in Phrase.ListOf()
        from all in Bool
        select (SearchQuery)new SearchQuery.Words(name, text, all) { Phrases = [.. phrases.Take(3)] };

    private static Gen<string> Phrase =>
        from length in Gen.Frequency((6, Gen.Choose(2, 3)), (1, Gen.Choose(0, 6)))
        from words in Gen.Elements(s_phraseWords).ListOf(length)
        select string.Join(' ', words);

    private static Gen<bool> Bool => Gen.Elements(true, false);

    private static Gen<SearchQuery> Range =>
        from name in Field
        from areNumbers in Bool
        from ends in End(areNumbers).Two()
        from first in Bool
        from second in Bool
        select (SearchQuery)new SearchQuery.Range(name, ends.Item1, first, ends.Item2, second);

    private static Gen<SearchValue?> End(bool isNumber)
    {
        var texts = Gen.Elements(s_parts).Select(text => (SearchValue?)new SearchValue.Text(text));
        return Gen.Frequency((1, Gen.Constant<SearchValue?>(null)), (3, isNumber ? Number.Select(value => (SearchValue?)value) : texts));
    }

    private static SearchQuery.In In(string name, IList<SearchValue> values, bool isAll) =>
        new SearchQuery.In(name, [.. isAll ? values.Take(3) : values], isAll);

    private static SearchValue.Number Of(long number)
    {
        double nearest = number;
        return new SearchValue.Number(new SearchNumber(nearest, (short)(number - (long)nearest)));
    }

    private static IEnumerable<SearchQuery> Smaller(SearchQuery query) =>
        query switch
        {
            SearchQuery.And and => [.. and.Of, .. Without(and.Of).Select(of => new SearchQuery.And(of))],
            SearchQuery.Or or => [.. or.Of, .. Without(or.Of).Select(of => new SearchQuery.Or(of))],
            SearchQuery.Not not => [not.Of, .. Smaller(not.Of).Select(of => new SearchQuery.Not(of))],
            SearchQuery.Words { Phrases.Count: > 0 } words => Without(words.Phrases)
                .Select(phrases => (SearchQuery)(words with { Phrases = phrases })),
            SearchQuery.In some => Without(some.Values).Select(values => (SearchQuery)(some with { Values = values })),
            _ => [],
        };

    private static IEnumerable<IReadOnlyList<T>> Without<T>(IReadOnlyList<T> list) =>
        Enumerable.Range(0, list.Count).Select(i => (IReadOnlyList<T>)[.. list.Where((_, at) => at != i)]);
}
