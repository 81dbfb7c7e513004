using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Jackdaw.Documents.Buffers;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Json;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Documents.Tests;

public sealed class DocumentJsonTests(ITestOutputHelper output)
{
    /// <summary>Body, metadata and collection as they would be stored.</summary>
    private static (string Body, string Metadata, string Collection) Split(byte[] json)
    {
        var buffer = default(CommandBuffer);
        var split = DocumentSplitter.Split(json, ref buffer);
        return Texts(split, json, buffer);
    }

    private static (string Body, string Metadata, string Collection) Texts(in SplitDocument split, byte[] json, in CommandBuffer buffer)
    {
        string body = split.BodyIsOwned
            ? Encoding.UTF8.GetString(buffer.Slice(split.BodyHead))
            : Encoding.UTF8.GetString(json, split.BodyHead.Start, split.BodyHead.Length)
                + Encoding.UTF8.GetString(json, split.BodyTail.Start, split.BodyTail.Length);
        return (body, Encoding.UTF8.GetString(buffer.Slice(split.Metadata)), Encoding.UTF8.GetString(split.CollectionName(buffer)));
    }

    [Theory]
    [InlineData("""{}""", """{}""", "", "@empty")]
    [InlineData("""  { }  """, """{}""", "", "@empty")]
    [InlineData("""{"a":1}""", """{"a":1}""", "", "@empty")]
    [InlineData("""{"@metadata":{}}""", """{}""", "", "@empty")]
    [InlineData("""{ "@metadata" : null }""", """{}""", "", "@empty")]
    [InlineData("""{"@metadata":{"@collection":"Users"}}""", """{}""", "", "Users")]
    [InlineData("""{"@metadata":{"@collection":null,"x":1}}""", """{}""", "\"x\":1", "@empty")]
    [InlineData("""{"@metadata":{"@collection":""}}""", """{}""", "", "@empty")]
    [InlineData("""{"a":1,"@metadata":{"@collection":"Users"}}""", """{"a":1}""", "", "Users")]
    [InlineData("""{"@metadata":{"@collection":"Users"},"a":1}""", """{"a":1}""", "", "Users")]
    [InlineData("""{"a":1 , "@metadata":{"x":[1,{"y":2}]} , "b":2 }""", """{"a":1, "b":2 }""", "\"x\":[1,{\"y\":2}]", "@empty")]
    [InlineData(
        """{"n":12.7500,"i":123456789012345678901234567890,"e":1E+2,"z":-0}""",
        """{"n":12.7500,"i":123456789012345678901234567890,"e":1E+2,"z":-0}""",
        "",
        "@empty"
    )]
    [InlineData("""{"s":"\u00e4\ud83d\ude00\ud800","t":"ä😀"}""", """{"s":"\u00e4\ud83d\ude00\ud800","t":"ä😀"}""", "", "@empty")]
    [InlineData("""{"a":1,"a":2}""", """{"a":1,"a":2}""", "", "@empty")]
    [InlineData("""{"a":{"@metadata":{"@collection":"No"}}}""", """{"a":{"@metadata":{"@collection":"No"}}}""", "", "@empty")]
    [InlineData("""{"@metadata":{"@collection":"A","k":1},"b":1,"@metadata":{"@collection":"B"},"c":2}""", """{"b":1,"c":2}""", "", "B")]
    [InlineData("""{"\u0040metadata":{"\u0040collection":"\u0055sers","\u0040id":"x"},"a":1}""", """{"a":1}""", "", "Users")]
    [InlineData(
        """{"@metadata":{"@id":1,"@change-vector":[],"@last-modified":{},"@flags":"x","@attachments":[{}],"@counters":[],"@timeseries":[],"@index-score":1,"@spatial":{},"@projection":true,"@expires":"2027-01-01","@nested-object-types":{"a":"b"},"Raven-Node-Type":"User"}}""",
        """{}""",
        "\"@expires\":\"2027-01-01\",\"@nested-object-types\":{\"a\":\"b\"},\"Raven-Node-Type\":\"User\"",
        "@empty"
    )]
    [InlineData(
        "{\r\n\t\"a\" :\n1,\n\"@metadata\":\n{\n\"x\":\n1\n,\"y\":2}\n,\"b\"\n:2}\n",
        "{\"a\" :1,\"b\":2}",
        "\"x\":1,\"y\":2",
        "@empty"
    )]
    public void A_document_is_split_into_body_metadata_and_collection(string json, string body, string metadata, string collection)
    {
        byte[] utf8 = Encoding.UTF8.GetBytes(json);
        Assert.Equal((body, metadata, collection), Split(utf8));

        // The same inside a larger text, as in a batch.
        byte[] larger = Encoding.UTF8.GetBytes("[ 1, " + json + " , {\"after\":true}]");
        var reader = new Utf8JsonReader(larger);
        while (reader.Read() && reader.TokenType != JsonTokenType.StartObject) { }
        var buffer = default(CommandBuffer);
        var split = DocumentSplitter.Split(ref reader, larger, ref buffer);
        Assert.Equal((body, metadata, collection), Texts(split, larger, buffer));
        Assert.Equal(JsonTokenType.EndObject, reader.TokenType);
        Assert.True(reader.Read() && reader.TokenType == JsonTokenType.StartObject);
    }

    [Theory]
    [InlineData("")]
    [InlineData("  ")]
    [InlineData("null")]
    [InlineData("[{}]")]
    [InlineData("\"a\"")]
    [InlineData("{")]
    [InlineData("{\"a\":1")]
    [InlineData("{\"a\":1,}")]
    [InlineData("{\"a\":01}")]
    [InlineData("{\"a\":\"\u0001\"}")]
    [InlineData("{\"a\":\"\\x\"}")]
    [InlineData("{a:1}")]
    [InlineData("{} {}")]
    [InlineData("{} x")]
    [InlineData("{\"a\":NaN}")]
    [InlineData("{\"@metadata\":1}")]
    [InlineData("{\"@metadata\":[]}")]
    [InlineData("{\"@metadata\":{\"@collection\":1}}")]
    [InlineData("{\"@metadata\":{\"@collection\":\"\\ud800\"}}")]
    [InlineData("{/* c */}")]
    [InlineData("\uFEFF{}")]
    public void What_is_no_document_is_refused(string json) =>
        Assert.Throws<InvalidDocumentException>(() => Split(Encoding.UTF8.GetBytes(json)));

    [Fact]
    public void Bytes_that_are_not_UTF8_are_refused() =>
        Assert.Throws<InvalidDocumentException>(() => Split([.. "{\"a\":\""u8, 0xC3, 0x28, .. "\"}"u8]));

    [Fact]
    public void Documents_may_be_nested_512_deep_and_no_deeper()
    {
        Assert.Equal("@empty", Split(Nested(Limits.MaxJsonDepth)).Collection);
        var error = Assert.Throws<InvalidDocumentException>(() => Split(Nested(Limits.MaxJsonDepth + 1)));
        Assert.Contains("512", error.Message, StringComparison.Ordinal);

        static byte[] Nested(int depth) =>
            Encoding.UTF8.GetBytes("{\"a\":" + new string('[', depth - 1) + new string(']', depth - 1) + "}");
    }

    [Fact]
    public void Sizes_over_the_limits_are_refused_naming_the_setting()
    {
        var limits = Limits.Default with { MaxDocumentBytes = 100 };
        byte[] large = Encoding.UTF8.GetBytes($$"""{"a":"{{new string('x', 100)}}"}""");
        var error = Assert.Throws<TooLargeException>(() => BatchOperation.Rent().AddPut().SetDocument(large, limits));
        Assert.Equal((large.Length, 100, "Limits.MaxDocumentSizeInMb"), (error.Size, error.Limit, error.Setting));
        Assert.Throws<TooLargeException>(() =>
            Split(Encoding.UTF8.GetBytes($$$"""{"@metadata":{"@collection":"{{{new string('x', 513)}}}"}}"""))
        );
    }

    [Fact]
    public void What_is_written_is_the_document_that_was_sent()
    {
        int seed = Environment.GetEnvironmentVariable("JACKDAW_SEED") is { } given
            ? int.Parse(given, CultureInfo.InvariantCulture)
            : Environment.TickCount;
        output.WriteLine($"JACKDAW_SEED={seed}");
        var random = new Random(seed);
        using var database = new TestDatabase();
        for (int i = 0; i < 400; i++)
        {
            var generator = new RandomJson(random);
            string json = generator.Document(out var expected);
            database.Do(TestDatabase.Put($"docs/{i}\"\\ä", json));
            string written = database.Get($"docs/{i}\"\\ä")!;
            Assert.DoesNotContain('\n', written);
            var actual = JsonNode.Parse(written)!.AsObject();
            var metadata = actual["@metadata"]!.AsObject();
            Assert.Equal($"docs/{i}\"\\ä", (string?)metadata["@id"]);
            metadata.Remove("@id");
            metadata.Remove("@change-vector");
            metadata.Remove("@last-modified");
            Assert.True(JsonNode.DeepEquals(expected, actual), $"seed {seed}, document {i}:\nsent    {json}\nwritten {written}");
        }
    }

    [Fact]
    public void No_bytes_at_all_break_the_splitter()
    {
        int seed = Environment.GetEnvironmentVariable("JACKDAW_SEED") is { } given
            ? int.Parse(given, CultureInfo.InvariantCulture)
            : Environment.TickCount;
        output.WriteLine($"JACKDAW_SEED={seed}");
        var random = new Random(seed);
        int accepted = 0;
        for (int i = 0; i < 20_000; i++)
        {
            byte[] json = Encoding.UTF8.GetBytes(new RandomJson(random).Document(out _));
            int damages = random.Next(3);
            for (int d = 0; d < damages; d++)
                json[random.Next(json.Length)] = (byte)(random.Next(3) == 0 ? random.Next(256) : "{}[],:\"\\@0a \n"u8[random.Next(13)]);
            try
            {
                var (body, metadata, _) = Split(json);
                // What is accepted is JSON in each of its parts, and on one line.
                using (JsonDocument.Parse(body, new JsonDocumentOptions { MaxDepth = 512 }))
                using (JsonDocument.Parse("{" + metadata + "}", new JsonDocumentOptions { MaxDepth = 512 }))
                    accepted++;
                Assert.DoesNotContain('\n', body + metadata);
            }
            catch (Exception refused) when (refused is InvalidDocumentException or TooLargeException)
            {
                // Refused is fine; the oracle is the parser of the base library.
                Assert.NotEqual(0, damages);
            }
        }
        Assert.InRange(accepted, 6000, 20_000);
    }

    [Fact]
    public void Dates_have_seven_decimals()
    {
        long ticks = new DateTime(2026, 11, 21, 8, 57, 49, 938, DateTimeKind.Utc).Ticks;
        Assert.Equal("2026-11-21T08:57:49.9380000Z", ProtocolDate.ToText(ticks, withZ: true));
        Assert.Equal("2026-11-21T08:57:49.9380000", ProtocolDate.ToText(ticks, withZ: false));
        Assert.Equal("0001-01-01T00:00:00.0000000", ProtocolDate.ToText(0, withZ: false));
    }
}
