using System.Net;
using System.Text.Json;

namespace Jackdaw.Acceptance.Indexes;

/// <summary>Queries and documents that nobody in his right mind sends: the answer is clear, and the server goes on.</summary>
public sealed class HostileQueryTests(WireServer server) : IClassFixture<WireServer>
{
    [Theory]
    [InlineData(600, 'x')]
    [InlineData(300, 'é')]
    public async Task A_field_path_that_is_too_long_is_refused_with_the_limit(int length, char letter)
    {
        var database = await server.NewDatabaseAsync();

        var answer = await QueryAsync(database, $"from Users where '{new string(letter, length)}' = 1");

        Assert.Equal(HttpStatusCode.BadRequest, answer.Status);
        Assert.Contains("SearchLimits.MaxFieldNameBytes", answer.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_document_with_half_a_surrogate_pair_is_found_by_its_other_fields()
    {
        var database = await server.NewDatabaseAsync();
        await database.PutAsync("users/1", """{"Name":"\ud800","\udc00":1,"Kind":"odd","@metadata":{"@collection":"Users"}}""");

        var answer = await QueryAsync(database, "from Users where Kind = 'odd' and exists(Name)");

        Assert.Equal(HttpStatusCode.OK, answer.Status);
        Assert.Equal(1, answer.Json.GetProperty("TotalResults").GetInt32());
    }

    private static Task<WireAnswer> QueryAsync(WireDatabase database, string text) =>
        database.SendAsync("POST", "/queries", JsonSerializer.Serialize(new { Query = text, WaitForNonStaleResults = true }));
}
