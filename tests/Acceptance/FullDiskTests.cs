using System.Net;
using System.Net.Http.Json;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance;

/// <summary>A data folder on a disk that fills up: refusals that say what to do, reads that go on, writes that resume, nothing
/// acknowledged lost.</summary>
public sealed class FullDiskTests : IDisposable
{
    private const int DiskMegabytes = 256;

    /// <summary>Freed at last. More than the journal's spares and the data file's growth take in advance, or they could be sooner
    /// than the large document.</summary>
    private const long FillerBytes = 112L << 20;
    private const int MostDocuments = 4000;

    private readonly HttpClient _client = new() { Timeout = Eventually.Patience };
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-full-").FullName;
    private readonly Random _random = new(20);
    private readonly Dictionary<string, string> _acknowledged = [];

    public void Dispose()
    {
        _client.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [SmallDiskFact]
    [Trait("Category", "Slow")]
    public async Task A_full_disk_refuses_writes_goes_on_reading_and_writes_again_once_there_is_room()
    {
        using var disk = SmallDisk.Mount(Path.Combine(_folder, "data"), DiskMegabytes);
        disk.Fill("filler", FillerBytes);
        await using (var server = await ServerUnderTest.StartAsync(_folder, []))
        {
            (
                await _client.PutAsync($"{server.Url}/admin/databases?name=db", new StringContent("""{"DatabaseName":"db"}"""))
            ).EnsureSuccessStatusCode();
            await WriteUntilRefusedAsync(server);
            Assert.True(_acknowledged.Count > 50, $"{_acknowledged.Count} documents fitted");
            // What the server itself had left, so that really nothing fits any more.
            disk.Fill("rest", long.MaxValue);

            await RequireEverythingElseWorksAsync(server);
            await RequireRefusalAsync(await PutAsync(server, "staged/1", Document(4 << 20)));
            await RequireRefusalAsync(
                await _client.PutAsync($"{server.Url}/admin/databases?name=other", new StringContent("""{"DatabaseName":"other"}"""))
            );
            await server.KillAsync();
        }
        await using (var restartedFull = await ServerUnderTest.StartAsync(_folder, []))
        {
            // Recovery needs no room.
            await RequireEverythingElseWorksAsync(restartedFull);
            await WriteUntilRefusedAsync(restartedFull);
            await RequireEverythingElseWorksAsync(restartedFull);

            disk.Remove("filler");
            disk.Remove("rest");
            await WriteAgainAsync(restartedFull, "again/1");
            await WriteAgainAsync(restartedFull, "again/2", bytes: 4 << 20);
            await RequireAcknowledgedAsync(restartedFull);
            await restartedFull.KillAsync();
        }
        await using (var restarted = await ServerUnderTest.StartAsync(_folder, []))
        {
            await RequireAcknowledgedAsync(restarted);
            Assert.Equal(0, await restarted.StopAsync());
        }
        await using var check = ServerUnderTest.Launch(_folder, ["check", $"--DataDir={disk.Path}"]);
        Assert.True(await check.WaitForExitAsync() == 0, check.Output + check.Errors);
    }

    private async Task WriteUntilRefusedAsync(ServerUnderTest server)
    {
        for (var i = 0; i < MostDocuments; i++)
        {
            var json = Document(200_000);
            var id = $"docs/{_acknowledged.Count}";
            using var answer = await PutAsync(server, id, json);
            if (answer.StatusCode == HttpStatusCode.Created)
            {
                _acknowledged[id] = json;
                continue;
            }
            await RequireRefusalAsync(answer);
            return;
        }
        Assert.Fail($"{MostDocuments} documents fitted into {DiskMegabytes} MB.");
    }

    /// <summary>The one refusal: the status of a full disk, what to do about it, and no stack trace.</summary>
    private static async Task RequireRefusalAsync(HttpResponseMessage answer)
    {
        var text = await answer.Content.ReadAsStringAsync();
        Assert.True(answer.StatusCode == HttpStatusCode.InsufficientStorage, $"{(int)answer.StatusCode}: {text}");
        var error = JsonDocument.Parse(text).RootElement;
        Assert.Equal("System.IO.IOException", error.GetProperty("Type").GetString());
        Assert.Contains("free some space", error.GetProperty("Message").GetString());
        Assert.DoesNotContain("   at ", error.GetProperty("Error").GetString());
    }

    private async Task RequireEverythingElseWorksAsync(ServerUnderTest server)
    {
        await RequireAcknowledgedAsync(server);
        foreach (
            var path in new[]
            {
                "/databases",
                "/health/ready",
                "/build/version",
                "/databases/db/stats",
                "/databases/db/docs?start=0&pageSize=3",
                "/databases/db/streams/docs?startsWith=docs/1",
            }
        )
            Assert.Equal(HttpStatusCode.OK, (await _client.GetAsync(server.Url + path)).StatusCode);
        using var query = await _client.PostAsync(
            $"{server.Url}/databases/db/queries",
            new StringContent("""{"Query":"from @all_docs limit 2"}""")
        );
        Assert.Equal(HttpStatusCode.OK, query.StatusCode);
    }

    private async Task WriteAgainAsync(ServerUnderTest server, string id, int bytes = 200_000)
    {
        var json = Document(bytes);
        using var answer = await PutAsync(server, id, json);
        Assert.True(answer.StatusCode == HttpStatusCode.Created, $"{await answer.Content.ReadAsStringAsync()}\n{server.Errors}");
        _acknowledged[id] = json;
    }

    private async Task RequireAcknowledgedAsync(ServerUnderTest server)
    {
        foreach (var (id, json) in _acknowledged)
        {
            var answer = await _client.GetFromJsonAsync<JsonElement>($"{server.Url}/databases/db/docs?id={id}");
            Assert.StartsWith(json[..^1], answer.GetProperty("Results")[0].GetRawText());
        }
    }

    private Task<HttpResponseMessage> PutAsync(ServerUnderTest server, string id, string json) =>
        _client.PutAsync($"{server.Url}/databases/db/docs?id={id}", new StringContent(json));

    /// <summary>Text that does not compress.</summary>
    private string Document(int bytes)
    {
        var content = new byte[bytes * 3 / 4];
        _random.NextBytes(content);
        return $"{{\"content\":\"{Convert.ToBase64String(content)}\"}}";
    }
}
