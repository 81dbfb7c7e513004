using System.Globalization;
using System.Net;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance;

/// <summary>What a burst takes is given back, and shown by owner meanwhile.</summary>
public sealed class MemoryAfterBurstTests : IAsyncLifetime
{
    private const long Megabyte = 1 << 20;

    private readonly HttpClient _client = new() { Timeout = TimeSpan.FromMinutes(5) };
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-burst-").FullName;
    private ServerUnderTest _server = null!;
    private WireDatabase _database = null!;

    public async Task InitializeAsync()
    {
        _server = await ServerUnderTest.StartAsync(_folder, ["--Limits.MemoryAllowanceInMb=2048"]);
        using var created = await _client.PutAsync($"{_server.Url}/admin/databases?name=a", new StringContent("""{"DatabaseName":"a"}"""));
        created.EnsureSuccessStatusCode();
        _database = new WireDatabase(_client, _server.Url, "a");
    }

    public async Task DisposeAsync()
    {
        await _server.DisposeAsync();
        _client.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task After_the_largest_batches_the_process_is_back_within_100_MB_of_idle()
    {
        await BatchAsync(0, documents: 10, bytes: 1000);
        var idle = Used();
        // Of few large documents, of many small ones, and with every length between.
        await Task.WhenAll(
            BatchAsync(1, documents: 12, bytes: 8_000_000),
            BatchAsync(2, documents: 60_000, bytes: 1000),
            BatchAsync(3, documents: 1500, bytes: 60_000)
        );
        var peak = Used();
        Assert.True(peak - idle > 150 * Megabyte, $"{(peak - idle) / Megabyte} MB are no burst.");
        await Eventually.IsAsync(async () =>
        {
            await Task.Delay(500);
            return Used() - idle < 100 * Megabyte;
        });
    }

    [Fact]
    public async Task Metrics_and_the_memory_report_show_pools_and_the_allowance_by_owner()
    {
        await BatchAsync(0, documents: 10, bytes: 1000);
        var metrics = await _client.GetStringAsync($"{_server.Url}/metrics");
        Assert.Contains("jackdaw_memory_allowance_bytes 2147483648", metrics);
        foreach (var owner in new[] { "scratch", "batches", "request buffers", "journal buffers and page maps", "readers" })
        {
            Assert.Contains($"jackdaw_memory_pool_kept_bytes{{owner=\"{owner}\"}}", metrics);
            Assert.Contains($"jackdaw_memory_pool_bound_bytes{{owner=\"{owner}\"}}", metrics);
        }
        Assert.Contains("jackdaw_memory_allowance_used_bytes{owner=\"scratch\"}", metrics);
        Assert.Contains("jackdaw_memory_allowance_used_bytes{owner=\"waiting operations\"}", metrics);
        using var report = System.Text.Json.JsonDocument.Parse(await _client.GetStringAsync($"{_server.Url}/admin/debug/memory"));
        Assert.Equal(2048 * Megabyte, report.RootElement.GetProperty("Allowance").GetProperty("Total").GetInt64());
        Assert.All(
            report.RootElement.GetProperty("Pools").EnumerateArray(),
            pool => Assert.InRange(pool.GetProperty("Kept").GetInt64(), 0, pool.GetProperty("MaxKept").GetInt64())
        );
    }

    private async Task BatchAsync(int number, int documents, int bytes)
    {
        var text = new string('x', bytes);
        var commands = Enumerable
            .Range(0, documents)
            .Select(i => $$$"""{"Id":"b{{{number}}}/{{{i}}}","Type":"PUT","ChangeVector":null,"Document":{"t":"{{{text}}}"}}""");
        var body = $$"""{"Commands":[{{string.Join(',', commands)}}]}""";
        var answer = await _database.SendAsync("POST", "/bulk_docs", body);
        // Others of the burst fill the queue.
        while (answer.Status == HttpStatusCode.ServiceUnavailable)
        {
            await Task.Delay(100);
            answer = await _database.SendAsync("POST", "/bulk_docs", body);
        }
        Assert.True(answer.Status == HttpStatusCode.Created, answer.Text);
    }

    /// <summary>Memory of the process's own, without the files that it maps.</summary>
    private long Used()
    {
        foreach (var line in File.ReadLines($"/proc/{_server.ProcessId}/status"))
        {
            if (line.StartsWith("RssAnon:", StringComparison.Ordinal))
                return long.Parse(
                        line["RssAnon:".Length..].Replace("kB", "", StringComparison.Ordinal).Trim(),
                        CultureInfo.InvariantCulture
                    ) * 1024;
        }
        throw new InvalidOperationException("The system does not tell the process's memory.");
    }
}
