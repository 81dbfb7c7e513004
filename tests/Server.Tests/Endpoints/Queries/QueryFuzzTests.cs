using System.Text.Json;
using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Endpoints.Queries;

/// <summary>Random and mutated queries, from the text to the answer: each gets an answer or an error with its place.</summary>
public sealed class QueryFuzzTests : IAsyncLifetime
{
    private const int Rounds = 1_500;

    private static readonly string[] s_fields = ["a", "b.c", "'d e'", "t[].u", "id()", "@metadata.@collection", "u.a", "missing"];

    private static readonly string[] s_values =
    [
        "'x'",
        "5",
        "-1.5e3",
        "null",
        "true",
        "''",
        "$p",
        "$list",
        "$none",
        "'*'",
        "'NULL'",
        "9007199254740993",
        "1e999",
        "'\\u0000'",
        "[1, 'x']",
        "a",
        "now()",
    ];

    private static readonly string[] s_tails =
    [
        "",
        " order by a",
        " order by a as long desc, 'd e'",
        " order by random()",
        " order by t[].u as alphaNumeric",
        " limit 5",
        " limit $p, 2000000000",
        " offset 3",
        " select a, b.c as d",
        " select distinct a",
        " select { x: u.a }",
        " select { x: u.a.b.c }",
        " select { x: ",
        " include a",
        " include timings()",
        " filter a = 5 filter_limit 2",
        " load u.a as l select l.b",
        " group by a",
        " update { }",
    ];

    private ServerScene _scene = null!;

    public async Task InitializeAsync()
    {
        _scene = await ServerScene.OpenAsync();
        await _scene.PutAsync(
            Enumerable
                .Range(0, 50)
                .Select(i =>
                    (
                        $"docs/{i}",
                        $$$"""{"a":{{{i % 7}}},"b":{"c":"x{{{i}}}"},"d e":null,"t":[{"u":{{{i}}}},{"u":"y"}],"@metadata":{"@collection":"Docs"}}"""
                    )
                )
        );
    }

    public Task DisposeAsync() => _scene.DisposeAsync().AsTask();

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task Whatever_is_asked_gets_an_answer_or_an_error_with_its_place(int seed)
    {
        var random = new Random(seed);
        var answers = new Dictionary<int, int>();
        for (int round = 0; round < Rounds; round++)
        {
            var query = Query(random);
            if (random.Next(3) == 0)
                query = Mutated(query, random);
            var body = JsonSerializer.Serialize(
                new
                {
                    Query = query,
                    QueryParameters = new Dictionary<string, object?> { ["p"] = 3, ["list"] = new object?[] { 1, "x", null } },
                }
            );
            var path = random.Next(4) == 0 ? "/streams/queries" : "/queries";

            var answer = await _scene.SendAsync("POST", path, random.Next(20) == 0 ? "?debug=explain" : "", body);

            answers[answer.Status] = answers.GetValueOrDefault(answer.Status) + 1;
            Assert.True(answer.Status is 200 or 400 or 404 or 501, $"{query}\n{answer.Status} {answer.Text}");
            if (answer.Status is 400 or 501)
            {
                var message = answer.Json.GetProperty("Message").GetString()!;
                var hasPlace = message.Contains("ine ", StringComparison.Ordinal) && message.Contains("olumn ", StringComparison.Ordinal);
                var isOfScript =
                    message.Contains("JavaScript", StringComparison.Ordinal) || message.Contains("projection", StringComparison.Ordinal);
                var isOfAnswer =
                    message.Contains("regular expression", StringComparison.Ordinal)
                    || message.Contains("streamed", StringComparison.Ordinal);
                Assert.True(hasPlace || isOfScript || isOfAnswer || query.Trim().Length == 0, $"{query}\n{message}");
            }
        }
        Assert.InRange(answers[200], Rounds / 10, Rounds);
        Assert.InRange(answers[400], Rounds / 10, Rounds);
        Assert.Equal(200, (await _scene.SendAsync("POST", "/queries", "", """{"Query":"from Docs where a = 3"}""")).Status);
    }

    /// <summary>An index, and a look at each document: two ways to the same answer.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task A_filter_finds_what_a_condition_finds(int seed)
    {
        var random = new Random(seed);
        int compared = 0;
        for (int round = 0; round < Rounds / 3; round++)
        {
            var condition = Condition(random, 3);
            if (condition.Contains("search(", StringComparison.Ordinal))
                continue;

            var asked = await IdsAsync($"from Docs as u where {condition} order by random('1')");
            var filtered = await IdsAsync($"from Docs as u filter {condition}");

            Assert.True(asked == filtered, $"{condition}\n{asked}\n{filtered}");
            compared += asked.StartsWith('[') ? 1 : 0;
        }
        Assert.InRange(compared, Rounds / 20, Rounds);
    }

    /// <summary>The ids found, or the kind of error.</summary>
    private async Task<string> IdsAsync(string query)
    {
        var body = JsonSerializer.Serialize(
            new
            {
                Query = query,
                QueryParameters = new Dictionary<string, object?> { ["p"] = 3, ["list"] = new object?[] { 1, "x", null } },
                WaitForNonStaleResults = true,
            }
        );
        var answer = await _scene.SendAsync("POST", "/queries", "", body);
        if (answer.Status != 200)
            return answer.Json.GetProperty("Type").GetString()!;
        var ids = answer
            .Json.GetProperty("Results")
            .EnumerateArray()
            .Select(result => result.GetProperty("@metadata").GetProperty("@id").GetString());
        return $"[{string.Join(' ', ids.Order(StringComparer.Ordinal))}]";
    }

    private static string Query(Random random)
    {
        var from = random.Next(10) switch
        {
            0 => "from @all_docs as u",
            1 => "from index 'Auto/Docs/Bya' as u",
            2 => "from Nothing as u",
            _ => "from Docs as u",
        };
        return $"{from} where {Condition(random, 3)}{s_tails[random.Next(s_tails.Length)]}";
    }

    private static string Condition(Random random, int depth)
    {
        var field = s_fields[random.Next(s_fields.Length)];
        var value = s_values[random.Next(s_values.Length)];
        var other = s_values[random.Next(s_values.Length)];
        string Inner() => depth == 0 ? "true" : Condition(random, depth - 1);
        return random.Next(18) switch
        {
            0 => $"{field} = {value}",
            1 => $"{field} != {value}",
            2 => $"{field} < {value}",
            3 => $"{field} >= {value}",
            4 => $"{field} between {value} and {other}",
            5 => $"{field} in ({value}, {other})",
            6 => $"{field} all in ({value}, {other})",
            7 => $"exists({field})",
            8 => $"startsWith({field}, {value})",
            9 => $"endsWith({field}, {value})",
            10 => $"search({field}, {value}, or)",
            11 => $"regex({field}, {value})",
            12 => $"exact({Inner()})",
            13 => $"not {Inner()}",
            14 => $"({Inner()} and {Inner()})",
            15 => $"{Inner()} or {Inner()}",
            16 => $"boost({Inner()}, 2)",
            _ => $"fuzzy({Inner()}, 0.5)",
        };
    }

    private static string Mutated(string query, Random random)
    {
        var text = query.ToCharArray().ToList();
        for (int i = random.Next(1, 4); i > 0 && text.Count > 0; i--)
        {
            int at = random.Next(text.Count);
            switch (random.Next(3))
            {
                case 0:
                    text.RemoveAt(at);
                    break;
                case 1:
                    text.Insert(at, "()[]{}'\"\\,.$*=<>! x5\n\u00e9"[random.Next(22)]);
                    break;
                default:
                    text.RemoveRange(at, Math.Min(random.Next(1, 12), text.Count - at));
                    break;
            }
        }
        return new string([.. text]);
    }
}
