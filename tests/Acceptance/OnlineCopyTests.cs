using System.Net;
using System.Net.Http.Json;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance;

/// <summary>A copy of a database is made while the server runs, by the command and over HTTP, and another server opens it.</summary>
public sealed class OnlineCopyTests : IDisposable
{
    private readonly HttpClient _client = new();
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-copy-").FullName;

    public void Dispose()
    {
        _client.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task A_running_server_copies_a_database_and_another_one_opens_the_copy()
    {
        await using var server = await ServerUnderTest.StartAsync();
        (
            await _client.PutAsync($"{server.Url}/admin/databases?name=Shop", new StringContent("""{"DatabaseName":"Shop"}"""))
        ).EnsureSuccessStatusCode();
        for (var i = 0; i < 50; i++)
            (
                await _client.PutAsync($"{server.Url}/databases/shop/docs?id=things/{i}", new StringContent("""{"a":1}"""))
            ).EnsureSuccessStatusCode();

        var byCommand = Path.Combine(_folder, "by command");
        var (code, told) = await RunAsync("copy", "Shop", byCommand, $"--ServerUrl={server.Url}");
        Assert.True(code == 0, told);
        Assert.Contains($"{byCommand} is a data folder", told);

        var byHttp = Path.Combine(_folder, "http");
        using var answer = await _client.PostAsync($"{server.Url}/databases/shop/admin/copy?to={Uri.EscapeDataString(byHttp)}", null);
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        var last = JsonSerializer.Deserialize<JsonElement>((await answer.Content.ReadAsStringAsync()).TrimEnd().Split('\n')[^1]);
        Assert.Equal("Completed", last.GetProperty("Status").GetString());
        Assert.True(last.GetProperty("CopiedBytes").GetInt64() > 0 && last.GetProperty("Transaction").GetInt64() > 50);

        foreach (var copy in new[] { byCommand, byHttp })
        {
            await using var other = await ServerUnderTest.StartAsync($"--DataDir={copy}");
            var statistics = await _client.GetFromJsonAsync<JsonElement>($"{other.Url}/databases/SHOP/stats");
            Assert.Equal(50, statistics.GetProperty("CountOfDocuments").GetInt64());
            Assert.Equal(HttpStatusCode.OK, (await _client.GetAsync($"{other.Url}/databases/shop/docs?id=things/49")).StatusCode);
            Assert.Equal(0, await other.StopAsync());
        }

        (code, told) = await RunAsync("copy", "Shop", byHttp, $"--ServerUrl={server.Url}");
        Assert.Equal(1, code);
        Assert.Contains("exists already", told);
        using var refused = await _client.PostAsync($"{server.Url}/databases/shop/admin/copy?to={Uri.EscapeDataString(byHttp)}", null);
        Assert.Equal(HttpStatusCode.BadRequest, refused.StatusCode);
        (code, told) = await RunAsync("copy", "Shop");
        Assert.Equal(2, code);
        Assert.Contains("run copy DATABASE FOLDER", told);
    }

    private async Task<(int Code, string Output)> RunAsync(params string[] command)
    {
        await using var process = ServerUnderTest.Launch(_folder, [.. command, "--no-defaults"]);
        var code = await process.WaitForExitAsync();
        return (code, process.Output + process.Errors);
    }
}
