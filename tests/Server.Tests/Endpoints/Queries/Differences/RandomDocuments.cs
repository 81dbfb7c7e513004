using System.Text.Encodings.Web;
using System.Text.Json;

namespace Jackdaw.Server.Tests.Endpoints.Queries.Differences;

/// <summary>Documents with every kind of value in the fields <c>a</c>, <c>b.c</c>, <c>t[].u</c> and <c>d e</c>, and in <c>m</c> of their
/// metadata.</summary>
internal static class RandomDocuments
{
    public static readonly string[] Texts =
    [
        "",
        "Bob",
        "bob",
        "BOB",
        "bo",
        "5",
        "5.0",
        "05",
        "-0",
        "true",
        "null",
        "NULL_VALUE",
        "EMPTY_ARRAY",
        "*",
        "ÄÖ",
        "äö",
        "ß",
        "İ",
        "\u212A",
        "k",
        "😀",
        "😀😀",
        "\uFFFD",
        "\u0001x",
        "a\"b'c\\d",
        "2020-02-03T04:05:06.0000000Z",
        "2020-02-03",
        "2020-02-03T04:05:06.000",
        "2020-02-03T05:05:06+01:00",
        "2020-02-02 23:00:00-01:00",
        "2020-02-03T00:00Z",
        "2020-02-30",
        "2021",
        " lead",
        "Σς",
        "ΣΣ",
        "9007199254740993",
        "1e400",
        "b\n",
        "x",
        "[]",
        "{}",
        "docs/1",
        new string('x', 495) + "A",
        new string('x', 510) + "Y",
        new string('x', 600) + "Y",
        new string('x', 600) + "z",
        new string('é', 300),
    ];

    public static readonly string[] Numbers =
    [
        "5",
        "5.0",
        "-0",
        "0",
        "0.5",
        "-7",
        "10",
        "1e1",
        "9007199254740992",
        "9007199254740993",
        "9007199254740995",
        "-9007199254740993",
        "12345678901234567890",
        "1e308",
        "1e400",
        "-1e400",
        "5e-324",
        "0.1",
        "123456789.123",
    ];

    private static readonly JsonSerializerOptions s_plain = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    public static string Json(Random random)
    {
        var members = new List<string>();
        if (random.Next(10) > 0)
            members.Add($"\"a\":{Value(random, 3)}");
        if (random.Next(4) > 0)
            members.Add($"\"b\":{(random.Next(5) == 0 ? Value(random, 1) : $"{{\"c\":{Value(random, 2)}}}")}");
        if (random.Next(4) > 0)
            members.Add($"\"t\":{Elements(random)}");
        if (random.Next(4) > 0)
            members.Add($"\"d e\":{Value(random, 1)}");
        string ofMetadata = random.Next(4) > 0 ? $",\"m\":{Value(random, 2)}" : "";
        members.Add($"\"@metadata\":{{\"@collection\":\"Docs\"{ofMetadata}}}");
        return $"{{{string.Join(',', members)}}}";
    }

    public static string Quoted(string text) => JsonSerializer.Serialize(text, s_plain);

    private static string Value(Random random, int depth) =>
        random.Next(depth > 0 ? 12 : 8) switch
        {
            0 => "null",
            1 => random.Next(2) == 0 ? "true" : "false",
            2 or 3 or 4 => Quoted(Texts[random.Next(Texts.Length)]),
            5 or 6 or 7 => Numbers[random.Next(Numbers.Length)],
            8 => "{\"w\":" + Value(random, 0) + "}",
            _ => $"[{string.Join(',', Enumerable.Range(0, random.Next(4)).Select(_ => Value(random, depth - 1)))}]",
        };

    private static string Elements(Random random) =>
        random.Next(8) == 0
            ? Value(random, 1)
            : $"[{string.Join(',', Enumerable.Range(0, random.Next(4)).Select(_ => random.Next(6) == 0 ? Value(random, 1) : $"{{\"u\":{Value(random, 1)}}}"))}]";
}
