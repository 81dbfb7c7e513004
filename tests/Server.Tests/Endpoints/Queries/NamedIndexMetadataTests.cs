using System.Text.Json;
using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Endpoints.Queries;

/// <summary>Conditions on the metadata in queries that name an index which has nothing of it. What they mean for values is told by
/// <see cref="Differences.QueryDifferenceTests"/>.</summary>
public sealed class NamedIndexMetadataTests : IAsyncLifetime
{
    private const string Index = "Auto/Users/Byage";

    private ServerScene _scene = null!;

    public async Task InitializeAsync()
    {
        _scene = await ServerScene.OpenAsync();
        await _scene.PutAsync(
            Enumerable
                .Range(0, 40)
                .Select(i =>
                    (
                        $"users/{i:00}",
                        $$$"""{"age":{{{i}}},"@metadata":{"@collection":"Users","team":"{{{(i % 2 == 0 ? "Red" : "Blue")}}}"}}"""
                    )
                )
        );
        Assert.Equal(Index, (await AnswerAsync("from Users where age > 0")).GetProperty("IndexName").GetString());
    }

    public Task DisposeAsync() => _scene.DisposeAsync().AsTask();

    [Theory]
    [InlineData("age >= 30 and @metadata.team = 'red'", 5, 10)]
    [InlineData("age >= 30 and (age < 36 and @metadata.team = 'red') and true", 3, 6)]
    [InlineData("age >= 30 and exact(@metadata.team = 'red')", 0, 10)]
    [InlineData("age >= 30 and not @metadata.team = 'red'", 5, 10)]
    [InlineData("age >= 30 and exists(@metadata.none)", 0, 10)]
    [InlineData("age < 5 or @metadata.team = 'red'", 22, 40)]
    [InlineData("@metadata.team = 'blue'", 20, 40)]
    [InlineData("age >= 30 and @metadata.'@collection' = 'users'", 10, 10)]
    [InlineData("age >= 30 and @metadata.'@collection' = 'Others'", 0, 10)]
    [InlineData("age >= 30 and @metadata.'@id' = 'users/31'", 1, 10)]
    [InlineData("age >= 30 and @metadata.'@last-modified' > '2000-01-01' and @metadata.'@change-vector' != null", 10, 10)]
    [InlineData("age >= 30 and @metadata.'@last-modified' > '2999-01-01'", 0, 10)]
    [InlineData("age >= 30 and @metadata.team = 'red' filter age < 36", 3, 10)]
    public async Task They_are_tested_document_by_document_behind_what_the_index_answers(string conditions, int total, int scanned)
    {
        var answer = await AnswerAsync($"from index '{Index}' where {conditions}");

        Assert.Equal(total, answer.GetProperty("TotalResults").GetInt32());
        Assert.Equal(total, answer.GetProperty("Results").GetArrayLength());
        Assert.Equal(scanned, answer.GetProperty("ScannedResults").GetInt32());
        Assert.Equal(Index, answer.GetProperty("IndexName").GetString());
        Assert.Single(_scene.Indexes.All);
    }

    [Fact]
    public async Task Pages_keep_the_order_of_the_index_and_an_exact_total()
    {
        var ages = new List<int>();
        for (int offset = 0; offset < 20; offset += 6)
        {
            var page = await AnswerAsync($"from index '{Index}' where @metadata.team = 'red' order by age as long desc limit {offset}, 6");
            Assert.Equal(20, page.GetProperty("TotalResults").GetInt32());
            ages.AddRange(page.GetProperty("Results").EnumerateArray().Select(user => user.GetProperty("age").GetInt32()));
        }

        Assert.Equal(Enumerable.Range(0, 20).Select(i => 38 - (2 * i)), ages);
    }

    [Fact]
    public async Task An_index_that_has_the_fields_is_asked_them()
    {
        await AnswerAsync("from Users where age > 0 and @metadata.team = 'red'");
        var name = _scene.Indexes.All.Single(index => index.Definition.Fields.Count == 2).Name;

        var answer = await AnswerAsync($"from index '{name}' where age >= 30 and @metadata.team = 'red'");

        Assert.Equal(5, answer.GetProperty("TotalResults").GetInt32());
        Assert.False(answer.TryGetProperty("ScannedResults", out _));
    }

    [Fact]
    public async Task A_deletion_by_query_deletes_what_they_leave()
    {
        var begun = await _scene.SendAsync(
            "DELETE",
            "/queries",
            "",
            Body($"from index '{Index}' where age >= 30 and @metadata.team = 'red'")
        );
        var id = begun.Json.GetProperty("OperationId").GetInt64();
        await Eventually.IsAsync(async () =>
            (await _scene.SendAsync("GET", "/operations/state", $"?id={id}")).Json.GetProperty("Status").GetString() == "Completed"
        );

        Assert.Equal(
            15,
            (await AnswerAsync("from Users where age >= 0 and @metadata.team = 'red'")).GetProperty("TotalResults").GetInt32()
        );
        Assert.Equal(35, _scene.Database.Statistics().DocumentCount);
    }

    [Fact]
    public async Task An_explanation_says_so()
    {
        var answer = await _scene.SendAsync(
            "POST",
            "/queries",
            "?debug=explain",
            Body($"from index '{Index}' where age >= 30 and @metadata.team = 'red'")
        );

        Assert.Contains("are tested document by document", answer.Json.GetProperty("Results")[0].GetProperty("Reason").GetString()!);
        Assert.DoesNotContain("team", answer.Json.GetProperty("Plan").GetString()!, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("where age > 3 and name = 'Ann'")]
    [InlineData("where age > 3 and name = 'Ann' and @metadata.team = 'red'")]
    [InlineData("where age > 3 order by @metadata.team")]
    [InlineData("where age > 3 and @metadata.team = 'red' order by @metadata.team")]
    [InlineData("where age > 3 and search(@metadata.team, 'red')")]
    [InlineData("where age > 3 and @metadata.team = 'red' filter age < 9 filter_limit 3")]
    public async Task What_cannot_be_tested_is_refused_with_what_to_do(string clauses)
    {
        var answer = await _scene.SendAsync("POST", "/queries", "", Body($"from index '{Index}' {clauses}"));

        Assert.Equal(400, answer.Status);
        var message = answer.Json.GetProperty("Message").GetString()!;
        Assert.Contains($"The index '{Index}' has the fields age, and the query needs ", message, StringComparison.Ordinal);
        Assert.Contains("as \"from 'Users'\", the query finds or makes an index with these fields", message, StringComparison.Ordinal);
        Assert.Equal(
            clauses.Contains("@metadata", StringComparison.Ordinal),
            message.Contains("An index that lacks fields of @metadata answers conditions on them, but", StringComparison.Ordinal)
        );
    }

    private async Task<JsonElement> AnswerAsync(string query)
    {
        var answer = await _scene.SendAsync("POST", "/queries", "", Body(query));
        Assert.True(answer.Status == 200, answer.Text);
        return answer.Json;
    }

    private static string Body(string query) => JsonSerializer.Serialize(new { Query = query, WaitForNonStaleResults = true });
}
