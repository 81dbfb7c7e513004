using System.Text.Json;
using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Endpoints.Queries;

/// <summary>What <c>select distinct</c> answers: rows, pages, counts.</summary>
public sealed class DistinctQueryTests : IAsyncLifetime
{
    private ServerScene _scene = null!;

    public async Task InitializeAsync()
    {
        _scene = await ServerScene.OpenAsync();
        await _scene.PutAsync([
            .. Enumerable
                .Range(0, 30)
                .Select(i => ($"users/{i:00}", $$$"""{"name":"Name {{{i % 7}}}","age":{{{i}}},"@metadata":{"@collection":"Users"}}""")),
        ]);
    }

    public Task DisposeAsync() => _scene.DisposeAsync().AsTask();

    [Theory]
    [InlineData("from Users select distinct name limit 0", 7)]
    [InlineData("from Users select distinct name limit 0, 0", 7)]
    [InlineData("from Users select distinct name limit 5, 0", 7)]
    [InlineData("from Users as u select distinct { n: u.name } limit 0", 7)]
    [InlineData("from Users where age >= 21 select distinct name limit 0", 7)]
    [InlineData("from Users filter age >= 21 select distinct name limit 0", 7)]
    [InlineData("from Users where age > 100 select distinct name limit 0", 0)]
    // Whole documents are told apart by their ids.
    [InlineData("from Users where age >= 27 select distinct * limit 0", 3)]
    public async Task A_query_for_no_row_counts_the_distinct_ones(string query, int count)
    {
        var answer = await AnswerAsync(query);

        Assert.Equal(count, answer.GetProperty("TotalResults").GetInt32());
        Assert.Equal(count, answer.GetProperty("LongTotalResults").GetInt32());
        Assert.Empty(answer.GetProperty("Results").EnumerateArray());
    }

    [Fact]
    public async Task Pages_hold_each_row_once_where_each_begins_behind_what_the_one_before_has_skipped()
    {
        var names = new List<string>();
        int offset = 0;
        while (true)
        {
            var page = await AnswerAsync($"from Users order by name select distinct name limit {offset}, 3");
            Assert.Equal(30, page.GetProperty("TotalResults").GetInt32());
            var rows = page.GetProperty("Results").EnumerateArray().Select(row => row.GetProperty("name").GetString()!).ToArray();
            if (rows.Length == 0)
                break;
            names.AddRange(rows);
            offset += rows.Length + page.GetProperty("SkippedResults").GetInt32();
        }

        Assert.Equal(Enumerable.Range(0, 7).Select(i => $"Name {i}"), names);
    }

    private async Task<JsonElement> AnswerAsync(string query)
    {
        var answer = await _scene.SendAsync("POST", "/queries", "", $$"""{"Query":"{{query}}","WaitForNonStaleResults":true}""");
        Assert.True(answer.Status == 200, answer.Text);
        return answer.Json;
    }
}
