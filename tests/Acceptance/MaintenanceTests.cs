using System.Net;
using System.Net.Http.Json;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance;

/// <summary>The commands for a stopped server's data folder: check, compact, recover.</summary>
public sealed class MaintenanceTests : IAsyncLifetime
{
    private readonly HttpClient _client = new();
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-maintenance-").FullName;

    public Task InitializeAsync() => Task.CompletedTask;

    public Task DisposeAsync()
    {
        _client.Dispose();
        Directory.Delete(_folder, recursive: true);
        return Task.CompletedTask;
    }

    [Fact]
    public async Task Check_finds_a_sound_folder_sound_and_a_damaged_page_by_its_file()
    {
        await LoadAsync(count: 300, kill: false);
        var (sound, report) = await RunAsync("check");
        Assert.True(sound == 0, report);

        var data = Path.Combine(_folder, "data", "Databases", "db", "data");
        await using (var file = File.Open(data, FileMode.Open, FileAccess.ReadWrite))
        {
            // Every page from the tenth on: some of them are in use.
            for (var page = 10L; page * 8192 < file.Length; page++)
            {
                file.Position = (page * 8192) + 4000;
                var was = file.ReadByte();
                file.Position--;
                file.WriteByte((byte)(was ^ 0x40));
            }
        }
        var (damaged, findings) = await RunAsync("check");
        Assert.True(damaged == 1, findings);
    }

    [Fact]
    public async Task Compact_keeps_every_document_in_less_space()
    {
        await LoadAsync(count: 3000, kill: false, deleteTo: 2900);
        var data = new FileInfo(Path.Combine(_folder, "data", "Databases", "db", "data"));
        var before = data.Length;
        var (code, report) = await RunAsync("compact");
        Assert.True(code == 0, report);
        data.Refresh();
        Assert.True(data.Length < before, $"{before} before, {data.Length} after");
        Assert.Contains(
            string.Create(System.Globalization.CultureInfo.InvariantCulture, $"{before:N0} bytes before, {data.Length:N0} after"),
            report
        );
        Assert.Equal(["Databases", "System"], Directory.GetDirectories(Path.Combine(_folder, "data")).Select(Path.GetFileName).Order());
        Assert.Equal(0, (await RunAsync("check")).Code);

        await using var server = await ServerUnderTest.StartAsync(_folder, []);
        Assert.Equal(100, await CountAsync(server));
        Assert.Equal(HttpStatusCode.OK, (await _client.GetAsync($"{server.Url}/databases/db/docs?id=things/2950")).StatusCode);
    }

    [Fact]
    public async Task A_damaged_journal_is_refused_by_file_and_offset_and_opened_at_its_last_good_record_only_on_demand()
    {
        await LoadAsync(count: 300, kill: true);
        var (journal, offset) = FlipByteInTheMiddleOfTheJournal();

        await using (var server = await ServerUnderTest.StartAsync(_folder, []))
        {
            using var refused = await _client.GetAsync($"{server.Url}/databases/db/docs?id=things/1");
            Assert.Equal(HttpStatusCode.InternalServerError, refused.StatusCode);
            Assert.Contains(journal, await refused.Content.ReadAsStringAsync());
            Assert.Equal(0, await server.StopAsync());
        }
        var (unconfirmed, how) = await RunAsync("recover");
        Assert.Equal(2, unconfirmed);
        Assert.Contains("--accept-data-loss", how);
        var (code, report) = await RunAsync("recover", "--accept-data-loss");
        Assert.True(code == 0, report);
        Assert.Contains("given up", report);

        await using var recovered = await ServerUnderTest.StartAsync(_folder, []);
        var count = await CountAsync(recovered);
        Assert.True(count is > 0 and < 300, $"{count} documents (a byte was flipped at {offset})");
        // Writes were one after another: what is left is a prefix of them.
        for (var i = 0; i < 300; i++)
            Assert.Equal(
                i < count ? HttpStatusCode.OK : HttpStatusCode.NotFound,
                (await _client.GetAsync($"{recovered.Url}/databases/db/docs?id=things/{i}")).StatusCode
            );
    }

    private async Task LoadAsync(int count, bool kill, int deleteTo = 0)
    {
        await using var server = await ServerUnderTest.StartAsync(_folder, ["--Storage.SyncIntervalInSec=3600"]);
        (
            await _client.PutAsync($"{server.Url}/admin/databases?name=db", new StringContent("""{"DatabaseName":"db"}"""))
        ).EnsureSuccessStatusCode();
        for (var i = 0; i < count; i++)
            (
                await _client.PutAsync(
                    $"{server.Url}/databases/db/docs?id=things/{i}",
                    new StringContent($"{{\"text\":\"{new string('x', 1500)}\"}}")
                )
            ).EnsureSuccessStatusCode();
        for (var i = 0; i < deleteTo; i++)
            (await _client.DeleteAsync($"{server.Url}/databases/db/docs?id=things/{i}")).EnsureSuccessStatusCode();
        if (kill)
            await server.KillAsync();
        else
            Assert.Equal(0, await server.StopAsync());
    }

    private async Task<long> CountAsync(ServerUnderTest server) =>
        (await _client.GetFromJsonAsync<JsonElement>($"{server.Url}/databases/db/stats")).GetProperty("CountOfDocuments").GetInt64();

    private (string File, long Offset) FlipByteInTheMiddleOfTheJournal()
    {
        var folder = Path.Combine(_folder, "data", "Databases", "db", "journal");
        var used = Directory
            .GetFiles(folder)
            .Select(file => (File: file, Bytes: File.ReadAllBytes(file)))
            .MaxBy(f => Array.FindLastIndex(f.Bytes, b => b != 0));
        // Well inside a block: its end holds the stamp that tells a torn write, which would be no damage.
        var offset = (Array.FindLastIndex(used.Bytes, b => b != 0) / 2 / 4096 * 4096) + 100;
        used.Bytes[offset] ^= 0x10;
        File.WriteAllBytes(used.File, used.Bytes);
        return (used.File, offset);
    }

    private async Task<(int Code, string Output)> RunAsync(params string[] command)
    {
        await using var process = ServerUnderTest.Launch(_folder, [.. command, "--no-defaults"]);
        var code = await process.WaitForExitAsync();
        return (code, process.Output + process.Errors);
    }
}
