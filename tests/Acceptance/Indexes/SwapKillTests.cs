using System.Net;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance.Indexes;

/// <summary>kill -9 at each step of an index's replacement by one with more fields: one live index is left, no folder too many.</summary>
public sealed class SwapKillTests
{
    private const string Database = "swaps";
    private const int Documents = 200;

    [Theory]
    [InlineData("index/recorded#2")]
    [InlineData("index/caught-up")]
    [InlineData("index/durable")]
    [InlineData("index/swapped")]
    [InlineData("index/deleted")]
    [Trait("Category", "Slow")]
    public async Task A_server_that_dies_at_a_step_of_a_swap_answers_both_queries_when_it_is_back(string failpoint)
    {
        var folder = Directory.CreateTempSubdirectory("jackdaw-swap-kill-").FullName;
        await using (var server = await ServerUnderTest.StartAsync(folder, [$"--Testing.Failpoint={failpoint}"]))
        {
            await FillAsync(server);
            Assert.Equal(1, await CountAsync(server, "from Users where a = 7"));
            try
            {
                await CountAsync(server, "from Users where b = 7");
            }
            catch (Exception gone) when (gone is HttpRequestException or IOException)
            {
                // It died before it could answer.
            }
            await server.WaitForExitAsync();
        }
        await using (var server = await ServerUnderTest.StartAsync(folder, []))
        {
            Assert.Equal(1, await CountAsync(server, "from Users where a = 7"));
            Assert.Equal(1, await CountAsync(server, "from Users where b = 7"));
            Assert.Equal(1, await CountAsync(server, "from Users where a = 8 and b = 8"));
            string indexes = Path.Combine(server.DataDirectory, "Databases", Database, "Indexes");
            await Tests.Eventually.IsAsync(() => Directory.GetDirectories(indexes).Length == 1);
            Assert.Equal(0, await server.StopAsync());
        }
        Directory.Delete(folder, recursive: true);
    }

    private static async Task FillAsync(ServerUnderTest server)
    {
        using var client = new HttpClient();
        using var created = await client.PutAsync(
            $"{server.Url}/admin/databases?name={Database}",
            new StringContent($$"""{"DatabaseName":"{{Database}}"}""")
        );
        created.EnsureSuccessStatusCode();
        for (int i = 0; i < Documents; i++)
        {
            using var put = await client.PutAsync(
                $"{server.Url}/databases/{Database}/docs?id=users/{i}",
                new StringContent($$$"""{"a":{{{i}}},"b":{{{i}}},"@metadata":{"@collection":"Users"}}""")
            );
            put.EnsureSuccessStatusCode();
        }
    }

    /// <summary>The number of documents that a query finds once its index has seen all of them.</summary>
    private static async Task<int> CountAsync(ServerUnderTest server, string query)
    {
        using var client = new HttpClient { Timeout = Tests.Eventually.Patience };
        using var answer = await client.PostAsync(
            $"{server.Url}/databases/{Database}/queries",
            new StringContent($$"""{"Query":"{{query}}","WaitForNonStaleResults":true,"WaitForNonStaleResultsTimeout":"00:01:00"}""")
        );
        string text = await answer.Content.ReadAsStringAsync();
        Assert.True(answer.StatusCode == HttpStatusCode.OK, $"{query}: {answer.StatusCode} {text}\n{server.Errors}");
        using var json = JsonDocument.Parse(text);
        Assert.False(json.RootElement.GetProperty("IsStale").GetBoolean());
        return json.RootElement.GetProperty("TotalResults").GetInt32();
    }
}
