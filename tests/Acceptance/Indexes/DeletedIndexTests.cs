using System.Net;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance.Indexes;

/// <summary>Indexes that are deleted under the queries that wait for them.</summary>
public sealed class DeletedIndexTests
{
    [Fact]
    public async Task A_query_that_names_no_index_makes_another_when_its_own_is_deleted_while_it_waits()
    {
        await using var server = await ServerUnderTest.StartAsync("--RunInMemory=true");
        using var http = new HttpClient { BaseAddress = new Uri(server.Url), Timeout = Eventually.Patience };
        await SendAsync(http, HttpMethod.Put, "/admin/databases?name=db", """{"DatabaseName":"db"}""");
        await SendAsync(http, HttpMethod.Put, "/databases/db/docs?id=users/1", """{"name":"Ann","@metadata":{"@collection":"Users"}}""");
        await SendAsync(http, HttpMethod.Post, "/databases/db/admin/indexes/stop");
        var unnamed = QueryAsync(http, "from Users where name = 'ann'");
        await Eventually.IsAsync(async () => (await WaitingAsync(http)) == 1 && (await IndexesAsync(http)) == "Auto/Users/Byname");
        var named = QueryAsync(http, "from index 'Auto/Users/Byname' where name = 'ann'");
        await Eventually.IsAsync(async () => (await WaitingAsync(http)) == 2);

        await SendAsync(http, HttpMethod.Delete, "/databases/db/indexes?name=Auto/Users/Byname");
        await SendAsync(http, HttpMethod.Post, "/databases/db/admin/indexes/start");

        var (status, answer) = await unnamed;
        Assert.Equal(HttpStatusCode.OK, status);
        Assert.False(answer.GetProperty("IsStale").GetBoolean());
        Assert.Equal(1, answer.GetProperty("TotalResults").GetInt64());
        // To the one that names it there is none, or the other's.
        (status, _) = await named;
        Assert.Contains(status, (HttpStatusCode[])[HttpStatusCode.OK, HttpStatusCode.NotFound]);
    }

    private static async Task<(HttpStatusCode Status, JsonElement Answer)> QueryAsync(HttpClient http, string query)
    {
        var body = JsonSerializer.Serialize(
            new
            {
                Query = query,
                WaitForNonStaleResults = true,
                WaitForNonStaleResultsTimeout = "01:00:00",
            }
        );
        using var answer = await http.PostAsync("/databases/db/queries", Json(body));
        var text = await answer.Content.ReadAsStringAsync();
        return (answer.StatusCode, text.Length == 0 ? default : JsonSerializer.Deserialize<JsonElement>(text));
    }

    private static async Task<int> WaitingAsync(HttpClient http)
    {
        using var running = JsonDocument.Parse(await http.GetStringAsync("/databases/db/debug/queries"));
        return running.RootElement.GetProperty("Running").GetArrayLength();
    }

    private static async Task<string> IndexesAsync(HttpClient http)
    {
        using var indexes = JsonDocument.Parse(await http.GetStringAsync("/databases/db/indexes?namesOnly=true"));
        return string.Join(' ', indexes.RootElement.GetProperty("Results").EnumerateArray().Select(name => name.GetString()));
    }

    private static async Task SendAsync(HttpClient http, HttpMethod method, string path, string? body = null)
    {
        using var request = new HttpRequestMessage(method, path) { Content = body is null ? null : Json(body) };
        using var answer = await http.SendAsync(request);
        answer.EnsureSuccessStatusCode();
    }

    private static StringContent Json(string text) => new(text, System.Text.Encoding.UTF8, "application/json");
}
