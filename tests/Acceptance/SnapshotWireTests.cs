using System.Diagnostics;
using System.Globalization;
using System.Net;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance;

/// <summary>Large snapshots over a real connection: docs/snapshots.md, "HTTP".</summary>
[Trait("Category", "Slow")]
public sealed class SnapshotWireTests : IAsyncLifetime
{
    private const long Megabyte = 1 << 20;

    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-snapshots-").FullName;
    private readonly HttpClient _client = new() { Timeout = Eventually.Patience };
    private ServerUnderTest _server = null!;

    private string Snapshots => $"{_server.Url}/databases/events/snapshots";

    public async Task InitializeAsync()
    {
        _server = await ServerUnderTest.StartAsync(_folder, []);
        using var created = await _client.PutAsync(
            $"{_server.Url}/admin/databases?name=events",
            new StringContent("""{"DatabaseName":"events"}""")
        );
        created.EnsureSuccessStatusCode();
    }

    public async Task DisposeAsync()
    {
        await _server.DisposeAsync();
        _client.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task A_snapshot_of_256_MB_is_stored_and_one_of_257_MB_is_refused_with_the_limit_and_its_space_given_back()
    {
        using (var stored = await _client.PutAsync($"{Snapshots}?stream=a&number=1", new Streamed(256 * Megabyte, seed: 1)))
            Assert.Equal(HttpStatusCode.Created, stored.StatusCode);
        using (var refused = await _client.PutAsync($"{Snapshots}?stream=a&number=1", new Streamed(257 * Megabyte, seed: 2)))
        {
            Assert.Equal(HttpStatusCode.RequestEntityTooLarge, refused.StatusCode);
            Assert.Contains(
                "over the limit of 268,435,456 bytes (Limits.MaxSnapshotSizeInMb)",
                await refused.Content.ReadAsStringAsync(),
                StringComparison.Ordinal
            );
        }

        await RequireAsync(seed: 1, bytes: 256 * Megabyte);
        // Had its chunks stayed, the data file would keep some 512 MB. Freed pages are given back after the next sync.
        await Eventually.IsAsync(async () => await DataFileBytesAsync() < 300 * Megabyte);
    }

    [Fact]
    public async Task A_slow_reader_gets_the_whole_of_a_snapshot_that_is_replaced_and_deleted_meanwhile()
    {
        using (var stored = await _client.PutAsync($"{Snapshots}?stream=a&number=1", new Streamed(60 * Megabyte, seed: 1)))
            Assert.Equal(HttpStatusCode.Created, stored.StatusCode);
        using var answer = await _client.GetAsync($"{Snapshots}?stream=a", HttpCompletionOption.ResponseHeadersRead);
        await using var body = await answer.Content.ReadAsStreamAsync();
        var read = await ReadAsync(body, seed: 1, from: 0, atMost: Megabyte);

        for (var seed = 2; seed <= 3; seed++)
            using (var stored = await _client.PutAsync($"{Snapshots}?stream=a&number=1", new Streamed(60 * Megabyte, seed)))
                Assert.Equal(HttpStatusCode.Created, stored.StatusCode);
        using (var deleted = await _client.DeleteAsync($"{Snapshots}?stream=a&number=1"))
            Assert.Equal("""{"deleted":1}""", await deleted.Content.ReadAsStringAsync());

        Assert.Equal(60 * Megabyte, read + await ReadAsync(body, seed: 1, from: read, atMost: long.MaxValue));
        using var gone = await _client.GetAsync($"{Snapshots}?stream=a");
        Assert.Equal(HttpStatusCode.NoContent, gone.StatusCode);
    }

    /// <summary>What the database's data file takes of the disk, holes left out.</summary>
    private async Task<long> DataFileBytesAsync()
    {
        var files = Directory
            .EnumerateFiles(_folder, "data", SearchOption.AllDirectories)
            .Where(path => path.Contains("events", StringComparison.Ordinal));
        using var du = Process.Start(new ProcessStartInfo("du", ["--block-size=1", .. files]) { RedirectStandardOutput = true })!;
        var output = await du.StandardOutput.ReadToEndAsync();
        await du.WaitForExitAsync();
        return long.Parse(output.Split('\t')[0], CultureInfo.InvariantCulture);
    }

    private async Task RequireAsync(int seed, long bytes)
    {
        using var answer = await _client.GetAsync($"{Snapshots}?stream=a", HttpCompletionOption.ResponseHeadersRead);
        await using var body = await answer.Content.ReadAsStreamAsync();
        Assert.Equal(bytes, await ReadAsync(body, seed, from: 0, atMost: long.MaxValue));
    }

    /// <summary>Reads on, and compares. Returns how many bytes came.</summary>
    private static async Task<long> ReadAsync(Stream body, int seed, long from, long atMost)
    {
        var piece = new byte[Megabyte];
        long count = 0;
        while (count < atMost)
        {
            var read = await body.ReadAsync(piece.AsMemory(0, (int)Math.Min(piece.Length, atMost - count)));
            if (read == 0)
                break;
            for (var i = 0; i < read; i++)
                if (piece[i] != Streamed.ByteAt(seed, from + count + i))
                    throw new InvalidOperationException($"byte {from + count + i} is another's");
            count += read;
        }
        return count;
    }

    /// <summary>A body without a length.</summary>
    private sealed class Streamed(long bytes, int seed) : HttpContent
    {
        public static byte ByteAt(int seed, long position) => (byte)((seed * 31) + (position * 7) + (position >> 13));

        protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context)
        {
            var piece = new byte[Megabyte];
            for (long position = 0; position < bytes; position += piece.Length)
            {
                for (var i = 0; i < piece.Length; i++)
                    piece[i] = ByteAt(seed, position + i);
                await stream.WriteAsync(piece);
            }
        }

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }
    }
}
