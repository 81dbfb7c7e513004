using Jackdaw.Indexing.Rql;
using Xunit;

namespace Jackdaw.Indexing.Tests.Rql;

/// <summary>Whatever the text, parsing ends soon, in a tree or in a syntax error that points into the text.</summary>
public class RqlFuzzTests
{
    private const int Rounds = 10_000;

    private static readonly TimeSpan _longestRound = TimeSpan.FromSeconds(5);

    private static readonly string[] _fragments =
    [
        "from",
        "Users",
        "where",
        "and",
        "or",
        "not",
        "in",
        "all",
        "between",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "'",
        "\"",
        "`",
        "${",
        "\\",
        "/",
        "//",
        "/*",
        "*/",
        "$p0",
        "$",
        "id()",
        ".",
        ",",
        "=",
        "<",
        ">=",
        "order by",
        "select",
        "distinct",
        "include",
        "limit",
        "offset",
        "update",
        "declare function f(",
        "timeseries(from",
        "index",
        "5",
        "-1.5e3",
        "null",
        "true",
        "as",
        "x",
        "\n",
        "\r\n",
        "\0",
        "😀",
        "\ud800",
        "@",
        "@all_docs",
        "load",
        "filter",
        "group by",
        "#",
    ];

    [Fact]
    public void Random_characters_are_parsed_or_refused() =>
        Run(random =>
            string.Create(
                random.Next(60),
                random,
                static (span, r) =>
                {
                    for (var i = 0; i < span.Length; i++)
                        span[i] = (char)(r.Next(4) == 0 ? r.Next(char.MaxValue + 1) : r.Next(128));
                }
            )
        );

    [Fact]
    public void Random_fragments_are_parsed_or_refused() =>
        Run(random =>
            (random.Next(2) == 0 ? "from U where " : "")
            + string.Join(
                random.Next(2) == 0 ? " " : "",
                Enumerable.Range(0, random.Next(30)).Select(_ => _fragments[random.Next(_fragments.Length)])
            )
        );

    [Fact]
    public void Mutated_queries_are_parsed_or_refused() =>
        Run(random =>
        {
            var text = RqlPrinter.Print(new RandomRql(random).Query());
            for (var edits = random.Next(1, 4); edits > 0; edits--)
            {
                var at = random.Next(text.Length + 1);
                var end = Math.Min(text.Length, at + random.Next(6));
                text = text[..at] + (random.Next(2) == 0 ? _fragments[random.Next(_fragments.Length)] : "") + text[end..];
            }

            return text;
        });

    private static void Run(Func<Random, string> make)
    {
        var seed = TestSeed.Next();
        var random = new Random(seed);
        for (var i = 0; i < Rounds; i++)
        {
            var text = make(random);
            Assert.True(
                ProcessorTime.IsWithin(_longestRound, () => ParseOrRefuse(text, i, seed)),
                $"Round {i} of JACKDAW_SEED={seed} takes longer than {_longestRound} for <<{text}>>"
            );
        }
    }

    private static void ParseOrRefuse(string text, int round, int seed)
    {
        try
        {
            var tree = RqlParser.Parse(text);
            Assert.Equal(tree, RqlParser.Parse(RqlPrinter.Print(tree)));
        }
        catch (RqlSyntaxException error)
        {
            var lines = text.ReplaceLineEndings("\n").Split('\n', '\r');
            Assert.InRange(error.Column, 1, text.Length + 1);
            Assert.InRange(error.Line, 1, lines.Length);
        }
        catch (Exception other) when (other is not Xunit.Sdk.XunitException)
        {
            Assert.Fail($"Round {round} of JACKDAW_SEED={seed}: {other.GetType()} for <<{text}>>\n{other}");
        }
    }
}
