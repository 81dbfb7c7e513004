using System.Net;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;
using Xunit.Abstractions;

namespace Jackdaw.Acceptance.Indexes;

/// <summary>
/// kill -9 under load with indexes: answers that are not stale are right while writers are at work, and after each restart every query
/// finds what a look at all documents finds, before and after the indexes were built afresh.
/// JACKDAW_INDEX_KILL_ROUNDS sets the number of rounds, JACKDAW_TEST_SEED the load and the times of the kills.
/// </summary>
public sealed class IndexKillTests(ITestOutputHelper output)
{
    private const string Database = "indexed";
    private const int UsualRounds = 4;
    private const int Documents = 600;
    private const int Queries = 40;

    [Fact]
    [Trait("Category", "Slow")]
    public async Task After_kill_9_under_load_queries_find_what_a_fresh_build_finds()
    {
        int rounds = int.TryParse(Environment.GetEnvironmentVariable("JACKDAW_INDEX_KILL_ROUNDS"), out var given) ? given : UsualRounds;
        int seed = int.TryParse(Environment.GetEnvironmentVariable("JACKDAW_TEST_SEED"), out var seeded) ? seeded : Random.Shared.Next();
        var random = new Random(seed);
        var folder = Directory.CreateTempSubdirectory("jackdaw-index-kill-").FullName;
        string kept = $"seed {seed}; the data folder is kept: {folder}";
        var slots = Enumerable.Range(0, Documents).Select(i => new IndexedSlot($"docs/{i}")).ToList();
        await CreateDatabaseAsync(folder);
        for (int round = 0; round < rounds; round++)
        {
            var load = new IndexedLoad(slots, Database);
            await using (var server = await ServerUnderTest.StartAsync(folder, []))
            {
                var running = load.RunAsync(server.Url, writers: 4, queries: 4, random.Next());
                // However slow the machine is, something is lost.
                await Tests.Eventually.IsAsync(() => load.Writes > 20 || load.Failures.Count > 0);
                await Task.Delay(random.Next(2500));
                await server.KillAsync();
                await running.WaitAsync(Tests.Eventually.Patience);
            }
            Assert.True(load.Failures.Count == 0, $"round {round}, {kept}:\n{string.Join("\n", load.Failures.Take(5))}");

            var queries = Enumerable.Range(0, Queries).Select(_ => IndexedQuery.Some(random)).ToList();
            string where =
                $"round {round} after {load.Writes} writes, {load.FreshAnswers} fresh and {load.StaleAnswers} stale answers, {kept}";
            output.WriteLine(where);
            await using (var restarted = await ServerUnderTest.StartAsync(folder, []))
            {
                await SettleAsync(restarted, slots, where);
                await RequireRightAsync(restarted, slots, queries, where);
                await ResetAllAsync(restarted);
                await RequireRightAsync(restarted, slots, queries, $"built afresh, {where}");
                // Every other round recovers from a clean shutdown, the others from a second kill.
                if (round % 2 == 0)
                    Assert.Equal(0, await restarted.StopAsync());
                else
                    await restarted.KillAsync();
            }
        }
        Directory.Delete(folder, recursive: true);
    }

    /// <summary>What was acknowledged is there; what was on its way is there or not.</summary>
    private static async Task SettleAsync(ServerUnderTest server, IReadOnlyList<IndexedSlot> slots, string where)
    {
        using var answer = await AskAsync(server, """{"Query":"from @all_docs"}""", where);
        var found = answer
            .RootElement.GetProperty("Results")
            .EnumerateArray()
            .ToDictionary(document => document.GetProperty("@metadata").GetProperty("@id").GetString()!, IndexedDocument.Parse);
        foreach (var slot in slots)
            Assert.True(slot.Settle(found.GetValueOrDefault(slot.Id)), $"{where}: {slot.Id} is not what was acknowledged");
    }

    private static async Task RequireRightAsync(
        ServerUnderTest server,
        IReadOnlyList<IndexedSlot> slots,
        IReadOnlyList<IndexedQuery> queries,
        string where
    )
    {
        foreach (var query in queries)
        {
            var looks = slots.Select(slot => (slot, slot.Look())).ToList();
            using var json = await AskAsync(server, query.Body(waits: true), $"{where}, {query}");
            var answer = IndexedAnswer.Parse(json.RootElement);
            string? problem = answer.ProblemAtRest(query) ?? IndexedLoad.ProblemOf(query, answer, looks);
            Assert.True(problem is null, $"{where}: {query}: {problem}");
        }
    }

    private static async Task ResetAllAsync(ServerUnderTest server)
    {
        using var client = new HttpClient { Timeout = Tests.Eventually.Patience };
        string indexes = $"{server.Url}/databases/{Database}/indexes";
        using var listed = JsonDocument.Parse(await client.GetStringAsync($"{indexes}?namesOnly=true"));
        foreach (var name in listed.RootElement.GetProperty("Results").EnumerateArray())
        {
            using var reset = new HttpRequestMessage(new HttpMethod("RESET"), $"{indexes}?name={Uri.EscapeDataString(name.GetString()!)}");
            using var answer = await client.SendAsync(reset);
            // One that a wider index took over since the names were listed is gone by right.
            Assert.True(
                answer.IsSuccessStatusCode || answer.StatusCode == HttpStatusCode.NotFound,
                await answer.Content.ReadAsStringAsync()
            );
        }
    }

    private static async Task<JsonDocument> AskAsync(ServerUnderTest server, string body, string where)
    {
        using var client = new HttpClient { Timeout = Tests.Eventually.Patience };
        using var answer = await client.PostAsync($"{server.Url}/databases/{Database}/queries", new StringContent(body));
        string text = await answer.Content.ReadAsStringAsync();
        Assert.True(answer.StatusCode == HttpStatusCode.OK, $"{where}: {answer.StatusCode} {text}\n{server.Errors}");
        return JsonDocument.Parse(text);
    }

    private static async Task CreateDatabaseAsync(string folder)
    {
        await using var server = await ServerUnderTest.StartAsync(folder, []);
        using var client = new HttpClient();
        using var created = await client.PutAsync(
            $"{server.Url}/admin/databases?name={Database}",
            new StringContent($$"""{"DatabaseName":"{{Database}}"}""")
        );
        created.EnsureSuccessStatusCode();
        Assert.Equal(0, await server.StopAsync());
    }
}
