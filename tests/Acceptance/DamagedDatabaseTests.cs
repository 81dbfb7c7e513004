using System.Net;
using System.Net.Http.Json;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance;

/// <summary>A database that cannot be opened is told to whoever runs the server, and the others are served.</summary>
public sealed class DamagedDatabaseTests : IDisposable
{
    private readonly HttpClient _client = new();
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-damaged-").FullName;

    public void Dispose()
    {
        _client.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task A_database_that_cannot_be_opened_is_named_in_the_log_by_health_and_when_it_is_enabled()
    {
        await using (var server = await ServerUnderTest.StartAsync(_folder, []))
        {
            foreach (var name in new[] { "good", "bad" })
                (
                    await _client.PutAsync(
                        $"{server.Url}/admin/databases?name={name}",
                        new StringContent($$"""{"DatabaseName":"{{name}}"}""")
                    )
                ).EnsureSuccessStatusCode();
            Assert.Empty((await ReadyAsync(server)).GetProperty("NotOpened").EnumerateArray());
            Assert.Equal(0, await server.StopAsync());
        }
        foreach (var header in new[] { "header.a", "header.b" })
            await File.WriteAllBytesAsync(Path.Combine(_folder, "data", "Databases", "bad", header), new byte[4096]);

        await using var again = await ServerUnderTest.StartAsync(_folder, []);
        Assert.Equal(
            HttpStatusCode.Created,
            (await _client.PutAsync($"{again.Url}/databases/good/docs?id=a", new StringContent("{}"))).StatusCode
        );
        var ready = await ReadyAsync(again);
        Assert.Equal("Ready", ready.GetProperty("Status").GetString());
        var notOpened = Assert.Single(ready.GetProperty("NotOpened").EnumerateArray());
        Assert.Equal("bad", notOpened.GetProperty("Name").GetString());
        Assert.Contains("header", notOpened.GetProperty("Reason").GetString());
        await Eventually.IsAsync(() => again.Errors.Contains("'bad' cannot be opened", StringComparison.Ordinal));
        Assert.Contains("fail: Jackdaw", again.Errors);
        Assert.Contains("Database 'bad' cannot be opened", again.Errors);

        using var answer = await _client.PostAsync(
            $"{again.Url}/admin/databases/enable",
            new StringContent("""{"DatabaseNames":["bad","good"]}""")
        );
        var status = (await answer.Content.ReadFromJsonAsync<JsonElement>()).GetProperty("Status");
        Assert.False(status[0].GetProperty("Success").GetBoolean());
        Assert.Contains("header", status[0].GetProperty("Reason").GetString());
        Assert.True(status[1].GetProperty("Success").GetBoolean());
        Assert.Equal(JsonValueKind.Null, status[1].GetProperty("Reason").ValueKind);
    }

    private async Task<JsonElement> ReadyAsync(ServerUnderTest server) =>
        await _client.GetFromJsonAsync<JsonElement>($"{server.Url}/health/ready");
}
