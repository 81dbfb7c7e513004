using System.Text;
using System.Text.Json;
using Jackdaw.Indexing.Queries;
using Jackdaw.Server.Errors;
using Jackdaw.Server.Parsing;
using Xunit;

namespace Jackdaw.Server.Tests.Parsing;

/// <summary>Half a surrogate pair in a body used to end as an internal error with a stack trace; it is the sender's mistake.</summary>
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

    [Fact]
    public void What_is_no_JSON_stays_a_JSON_error() =>
        Assert.ThrowsAny<JsonException>(() => JsonBody.Parse("{"u8.ToArray()));

    [Fact]
    public void An_include_of_half_a_surrogate_pair_refers_to_nothing()
    {
        var ids = new List<string>();
        IncludePath.Parse("refs[]").CollectIds("""{"refs":["a\ud800","b"]}"""u8, ids);
        Assert.Equal(["b"], ids);
    }
}
