using System.Diagnostics;
using System.Net;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;
using Xunit.Abstractions;

namespace Jackdaw.Acceptance.Indexes;

/// <summary>A server that is told to stop while queries wait for their index.</summary>
public sealed class EndingServerTests(ITestOutputHelper output)
{
    [Fact]
    public async Task A_stop_does_not_wait_for_queries_that_wait()
    {
        await using var server = await ServerUnderTest.StartAsync();
        using var http = new HttpClient { BaseAddress = new Uri(server.Url), Timeout = Timeout.InfiniteTimeSpan };
        (await http.PutAsync("/admin/databases?name=db", Json("""{"DatabaseName":"db"}"""))).EnsureSuccessStatusCode();
        const string Query = "from Users where name = 'ann'";
        (await http.PostAsync("/databases/db/queries", Json(JsonSerializer.Serialize(new { Query })))).EnsureSuccessStatusCode();
        (await http.PostAsync("/databases/db/admin/indexes/stop", null)).EnsureSuccessStatusCode();
        (
            await http.PutAsync("/databases/db/docs?id=users/1", Json("""{"name":"Ann","@metadata":{"@collection":"Users"}}"""))
        ).EnsureSuccessStatusCode();
        var waiting = Enumerable.Range(0, 20).Select(_ => WaitAsync(http, Query)).ToList();
        await Eventually.IsAsync(async () =>
        {
            using var running = JsonDocument.Parse(await http.GetStringAsync("/databases/db/debug/queries"));
            return running.RootElement.GetProperty("Running").GetArrayLength() == waiting.Count;
        });

        long began = Stopwatch.GetTimestamp();
        Assert.Equal(0, await server.StopAsync());
        TestReport.Write(
            output,
            $"A server with {waiting.Count} waiting queries stopped in {Stopwatch.GetElapsedTime(began).TotalSeconds:0.0} s"
        );

        // Each was answered: none was cut off when the time that a stop leaves to requests was up.
        foreach (var answer in waiting)
            Assert.Equal(HttpStatusCode.ServiceUnavailable, await answer);
    }

    private static async Task<HttpStatusCode> WaitAsync(HttpClient http, string query)
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
        return answer.StatusCode;
    }

    private static StringContent Json(string text) => new(text, System.Text.Encoding.UTF8, "application/json");
}
