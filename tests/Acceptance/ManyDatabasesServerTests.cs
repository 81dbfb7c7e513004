using System.Net;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance;

/// <summary>A server with many databases: its start, its end in the middle of that, and deletions that meet.</summary>
public sealed class ManyDatabasesServerTests
{
    private const int Databases = 40;

    [Fact]
    public async Task A_server_that_is_killed_while_it_recovers_many_databases_loses_nothing()
    {
        var folder = Directory.CreateTempSubdirectory("jackdaw-many-").FullName;
        using var client = new HttpClient();
        await using (var server = await ServerUnderTest.StartAsync(folder, []))
        {
            for (var i = 0; i < Databases; i++)
                await CreateAsync(client, server, $"db{i}");
            await Task.WhenAll(Enumerable.Range(0, Databases).Select(i => PutAsync(client, server, $"db{i}", "docs/0")));
            await server.KillAsync();
        }
        var random = new Random(1);
        for (var round = 1; round <= 5; round++)
        {
            await using var server = await ServerUnderTest.StartAsync(folder, []);
            // A few are asked for, and written to, while others are still being opened.
            var asked = Enumerable.Range(0, 4).Select(_ => random.Next(Databases)).Distinct();
            await Task.WhenAll(asked.Select(i => PutAsync(client, server, $"db{i}", $"docs/{round}")));
            await Task.Delay(random.Next(0, 100));
            await server.KillAsync();
        }
        await using (var server = await ServerUnderTest.StartAsync(folder, []))
        {
            await Eventually.IsAsync(async () => (await client.GetAsync($"{server.Url}/health/ready")).StatusCode == HttpStatusCode.OK);
            using var ready = JsonDocument.Parse(await client.GetStringAsync($"{server.Url}/health/ready"));
            Assert.Equal(0, ready.RootElement.GetProperty("Opening").GetInt32());
            Assert.Equal(0, ready.RootElement.GetProperty("NotOpened").GetArrayLength());
            random = new Random(1);
            for (var i = 0; i < Databases; i++)
                await RequireAsync(client, server, $"db{i}", "docs/0");
            for (var round = 1; round <= 5; round++)
            {
                foreach (var i in Enumerable.Range(0, 4).Select(_ => random.Next(Databases)).Distinct().ToArray())
                    await RequireAsync(client, server, $"db{i}", $"docs/{round}");
                random.Next(0, 100);
            }
            Assert.True(Threads(server) < 60, $"{Threads(server)} threads with {Databases} databases");
        }
        Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public async Task Deletions_of_one_database_that_meet_all_succeed_and_so_does_one_that_comes_late()
    {
        await using var server = await ServerUnderTest.StartAsync("--RunInMemory=true");
        using var client = new HttpClient();
        // Clients of the protocol get other statuses for some refusals than others do.
        client.DefaultRequestHeaders.Add("Raven-Client-Version", "7.0.0");
        for (var round = 0; round < 10; round++)
        {
            await CreateAsync(client, server, "db");
            var answers = await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => DeleteAsync(client, server, "db")));
            Assert.All(answers, status => Assert.Equal(HttpStatusCode.OK, status));
        }
        Assert.Equal(HttpStatusCode.OK, await DeleteAsync(client, server, "db"));
    }

    private static int Threads(ServerUnderTest server) => Directory.GetDirectories($"/proc/{server.ProcessId}/task").Length;

    private static async Task<HttpStatusCode> DeleteAsync(HttpClient client, ServerUnderTest server, string name)
    {
        using var request = new HttpRequestMessage(HttpMethod.Delete, $"{server.Url}/admin/databases")
        {
            Content = new StringContent($$"""{"DatabaseNames":["{{name}}"],"HardDelete":true}"""),
        };
        using var answer = await client.SendAsync(request);
        return answer.StatusCode;
    }

    private static async Task CreateAsync(HttpClient client, ServerUnderTest server, string name)
    {
        using var created = await client.PutAsync(
            $"{server.Url}/admin/databases?name={name}",
            new StringContent($$"""{"DatabaseName":"{{name}}"}""")
        );
        created.EnsureSuccessStatusCode();
    }

    private static async Task PutAsync(HttpClient client, ServerUnderTest server, string database, string id)
    {
        using var put = await client.PutAsync($"{server.Url}/databases/{database}/docs?id={id}", new StringContent("{}"));
        put.EnsureSuccessStatusCode();
    }

    private static async Task RequireAsync(HttpClient client, ServerUnderTest server, string database, string id)
    {
        using var answer = await client.GetAsync($"{server.Url}/databases/{database}/docs?id={id}");
        Assert.True(answer.StatusCode == HttpStatusCode.OK, $"{id} of {database}: {answer.StatusCode}");
    }
}
