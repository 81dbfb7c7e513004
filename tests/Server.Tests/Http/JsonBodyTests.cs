using System.Text;
using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Documents.Commands;
using Jackdaw.Indexing.Queries;
using Jackdaw.Scripting;
using Jackdaw.Server.Endpoints.Batches;
using Jackdaw.Server.Endpoints.Patching;
using Jackdaw.Server.Http;
using Xunit;

namespace Jackdaw.Server.Tests.Http;

/// <summary>Half a surrogate pair in a body, or bytes that are not UTF-8, used to end as an internal error with a stack trace; it
/// is the sender's mistake.</summary>
public sealed class JsonBodyTests
{
    [Theory]
    [InlineData("""{"Ids":["x\ud800"]}""")]
    [InlineData("""{"Ids":["\uDC00x"]}""")]
    [InlineData("""{"\udbff":1}""")]
    [InlineData("""{"a":[{"b":"\ud83dx\ude00"}]}""")]
    public void Half_a_surrogate_pair_is_a_bad_request(string body) =>
        Assert.Throws<BadRequestException>(() => JsonBody.Parse(Encoding.UTF8.GetBytes(body)));

    [Theory]
    [InlineData("""{"Ids":["\ud83d\ude00"]}""", "😀")]
    [InlineData("""{"Ids":["\\ud800"]}""", "\\ud800")]
    public void Whole_pairs_and_escaped_backslashes_are_text(string body, string expected)
    {
        using var document = JsonBody.Parse(Encoding.UTF8.GetBytes(body));
        Assert.Equal(expected, document.RootElement.GetProperty("Ids")[0].GetString());
    }

    [Theory]
    [InlineData("{\"Ids\":[\"?(\"]}", 9)]
    [InlineData("{\"?(\":1}", 2)]
    [InlineData("{\"\u00e9\":[\"a\",\"?(\"]}", 12)]
    public void Bytes_that_are_not_UTF_8_are_a_bad_request_that_names_the_place(string body, int place)
    {
        foreach (var parse in new Func<ReadOnlyMemory<byte>, JsonDocument>[] { JsonBody.Parse, PatchText.Parse })
            Assert.Contains(
                $"byte {place} (0xc3)",
                Assert.Throws<BadRequestException>(() => parse(WithHalfACharacter(body))).Message,
                StringComparison.Ordinal
            );
    }

    [Theory]
    [InlineData("""[{"Id":"?(","Type":"DELETE"}]""", "The Id of a command is not UTF-8")]
    [InlineData("""[{"Id":"a","Type":"?("}]""", "The Type of a command")]
    [InlineData("""[{"Type":"BatchPATCH","Patch":{"Script":""},"Ids":[{"Id":"?("}]}]""", "not UTF-8")]
    [InlineData("""[{"Type":"BatchPATCH","Patch":{"Script":"","Values":{"?(":1}},"Ids":[]}]""", "not UTF-8")]
    [InlineData("""[{"Type":"PATCH","Id":"a","Patch":{"Script":"?("}}]""", "not UTF-8")]
    public void Bytes_that_are_not_UTF_8_in_a_batch_are_a_bad_request(string commands, string named)
    {
        var batch = BatchOperation.Rent();
        try
        {
            using var scripts = new ScriptEngine();
            var body = WithHalfACharacter($$"""{"Commands":{{commands}}}""");
            Assert.Contains(
                named,
                Assert.Throws<BadRequestException>(() => BatchBody.Parse(body, batch, Limits.Default, scripts)).Message,
                StringComparison.Ordinal
            );
        }
        finally
        {
            batch.Return();
        }
    }

    [Fact]
    public void What_is_no_JSON_stays_a_JSON_error() => Assert.ThrowsAny<JsonException>(() => JsonBody.Parse("{"u8.ToArray()));

    [Fact]
    public void An_include_of_half_a_surrogate_pair_refers_to_nothing()
    {
        var ids = new List<string>();
        IncludePath.Parse("refs[]").CollectIds("""{"refs":["a\ud800","b"]}"""u8, ids);
        Assert.Equal(["b"], ids);
    }

    /// <summary>With the byte 0xC3, which begins a character of two bytes, for each question mark.</summary>
    private static byte[] WithHalfACharacter(string body) =>
        Array.ConvertAll(Encoding.UTF8.GetBytes(body), b => b == (byte)'?' ? (byte)0xC3 : b);
}
