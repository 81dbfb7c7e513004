using System.Text;
using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Documents.Reading;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Mapping;
using Jackdaw.Indexing.Mapping.Automatic;
using Xunit;

namespace Jackdaw.Indexing.Tests.Mapping;

/// <summary>The scan over a document's JSON against a parsed document.</summary>
public class RandomDocumentMapTests
{
    private const int Documents = 5_000;

    [Fact]
    public void Random_documents_have_the_values_that_a_parser_finds()
    {
        int seed = TestSeed.Next();
        var random = new Random(seed);
        int found = 0;
        for (int i = 0; i < Documents; i++)
        {
            var json = new RandomJson(random);
            string body = json.Object();
            string[] paths = [.. Enumerable.Range(0, random.Next(1, 5)).Select(_ => json.Path()).Distinct()];
            var failure = Record.Exception(() => Map(paths, body));
            Assert.True(failure is null, $"JACKDAW_SEED={seed}, {body}: {failure}");
            var values = Map(paths, body);
            using var parsed = JsonDocument.Parse(body);
            foreach (string path in paths)
            {
                var expected = NaiveMap.Values(parsed.RootElement, path);
                found += expected.Count;
                Assert.True(
                    expected.SequenceEqual(values[path]),
                    $"JACKDAW_SEED={seed}, {path} of {body}: {string.Join('|', values[path])} instead of {string.Join('|', expected)}"
                );
            }
        }
        Assert.True(found > Documents / 2, $"JACKDAW_SEED={seed}: only {found} values were there to find.");
    }

    [Fact]
    public void The_deepest_document_is_scanned()
    {
        int arrays = Limits.MaxJsonDepth - 1;
        string deepest = new string('[', arrays) + "5" + new string(']', arrays);
        Assert.Equal([ListedValues.OfNumber(new(5))], Map(["a"], $$"""{"a":{{deepest}}}""")["a"]);
        Assert.Equal([ListedValues.OfNumber(new(6))], Map(["b"], $$"""{"a":{{deepest}},"b":6}""")["b"]);
    }

    /// <summary>No document is stored like that. A damaged one must fail by itself, and must not lead the scan out of its bytes.</summary>
    [Theory]
    [InlineData("""{"a":"x\""")]
    [InlineData("""{"a":"x\\\""")]
    [InlineData("""{"a" 1}""")]
    [InlineData("""{"a":1 "b":2}""")]
    [InlineData("""{"a":}""")]
    [InlineData("""{"a":[1}""")]
    [InlineData("""{"b":{"c":["}""")]
    [InlineData("""{"b":{"c":[1""")]
    [InlineData("""{a:1}""")]
    [InlineData("""{"a":1""")]
    [InlineData("""{"a":x}""")]
    [InlineData("{")]
    [InlineData("")]
    public void What_is_no_JSON_is_a_document_that_cannot_be_mapped(string body) => Assert.Throws<MappingException>(() => Map(["a"], body));

    [Fact]
    public void A_document_nested_too_deeply_cannot_be_mapped() =>
        Assert.Throws<MappingException>(() => Map(["a"], "{\"a\":" + new string('[', 1_000_000)));

    private static ListedValues Map(IEnumerable<string> paths, string body)
    {
        using var map = new AutomaticMap(new AutoIndexDefinition("Users", [.. paths.Select(path => new AutoIndexField(path))]));
        var values = new ListedValues();
        map.Begin(values);
        map.Map(
            new Document
            {
                Id = "Users/1"u8,
                LowerId = "users/1"u8,
                Collection = "Users"u8,
                Body = Encoding.UTF8.GetBytes(body),
            },
            values
        );
        return values;
    }
}
