using System.Text.Json;
using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Endpoints.Queries;

/// <summary>Texts of more than 512 bytes, of which an index has the first 496 and a hash.</summary>
public sealed class LongTextQueryTests : IAsyncLifetime
{
    private static readonly string s_long = new string('x', 600) + "y";

    private ServerScene _scene = null!;

    public async Task InitializeAsync()
    {
        _scene = await ServerScene.OpenAsync();
        await _scene.PutAsync([("docs/1", $$$"""{"a":"{{{s_long}}}","@metadata":{"@collection":"Docs"}}""")]);
    }

    public Task DisposeAsync() => _scene.DisposeAsync().AsTask();

    /// <summary>The end of the range was compared with the hash: it found the text, or did not, by chance.</summary>
    [Theory]
    [InlineData("between '#' and '#'", true)]
    [InlineData(">= '#'", true)]
    [InlineData("<= '#'", true)]
    [InlineData("> '#'", false)]
    [InlineData("< '#'", false)]
    [InlineData(">= '#z'", true)]
    public async Task A_range_that_ends_in_a_long_text_compares_what_is_known_of_both(string range, bool isFound) =>
        await RequireAsync($"a {range.Replace("#", s_long, StringComparison.Ordinal)}", isFound);

    /// <summary>A filter saw the whole text, where the same condition over an index does not.</summary>
    [Theory]
    [InlineData("endsWith(a, 'y')", false)]
    [InlineData("regex(a, 'x+y')", false)]
    [InlineData("startsWith(a, 'xxx')", true)]
    [InlineData("startsWith(a, '#')", false)]
    [InlineData("a = '#'", true)]
    public async Task A_filter_sees_of_a_long_text_what_an_index_sees(string condition, bool isFound) =>
        await RequireAsync(condition.Replace("#", s_long, StringComparison.Ordinal), isFound);

    private async Task RequireAsync(string condition, bool isFound)
    {
        foreach (string clause in new[] { "where", "filter" })
        {
            var answer = await _scene.SendAsync(
                "POST",
                "/queries",
                "",
                JsonSerializer.Serialize(new { Query = $"from Docs {clause} {condition}", WaitForNonStaleResults = true })
            );
            Assert.Equal((200, isFound ? 1 : 0), (answer.Status, answer.Json.GetProperty("TotalResults").GetInt32()));
        }
    }
}
