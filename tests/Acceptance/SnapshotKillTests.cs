using System.Globalization;
using System.Net;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance;

/// <summary>
/// kill -9 while snapshots are uploaded, again and again on one data folder: after each restart every acknowledged snapshot is there,
/// whole, and those under way are there whole or not at all. JACKDAW_KILL_ROUNDS sets the number of rounds, JACKDAW_TEST_SEED the
/// times of the kills.
/// </summary>
public sealed class SnapshotKillTests
{
    private const int UsualRounds = 6;
    private const int Writers = 4;
    private const int LargestBytes = 24 << 20;

    [Fact]
    [Trait("Category", "Slow")]
    public async Task Every_acknowledged_snapshot_survives_kill_9_whole()
    {
        var rounds = int.TryParse(Environment.GetEnvironmentVariable("JACKDAW_KILL_ROUNDS"), out var given) ? given : UsualRounds;
        var seed = int.TryParse(Environment.GetEnvironmentVariable("JACKDAW_TEST_SEED"), out var seeded) ? seeded : Random.Shared.Next();
        var random = new Random(seed);
        var folder = Directory.CreateTempSubdirectory("jackdaw-snapshots-kill-").FullName;
        using var client = new HttpClient { Timeout = Eventually.Patience };
        Writer[] writers = [.. Enumerable.Range(0, Writers).Select(i => new Writer($"actor-{i}", new Random(seed + i)))];
        try
        {
            for (var round = 0; round < rounds; round++)
            {
                await using (var server = await ServerUnderTest.StartAsync(folder, []))
                {
                    if (round == 0)
                        await CreateAsync(client, server.Url);
                    var before = writers.Sum(writer => writer.Acknowledged);
                    using var stop = new CancellationTokenSource();
                    Task[] writing = [.. writers.Select(writer => writer.WriteAsync(client, server.Url, stop.Token))];
                    await Eventually.IsAsync(() => writers.Sum(writer => writer.Acknowledged) > before + 4);
                    await Task.Delay(random.Next(0, 400));
                    await server.KillAsync();
                    await stop.CancelAsync();
                    await Task.WhenAll(writing);
                }
                await using var restarted = await ServerUnderTest.StartAsync(folder, []);
                foreach (var writer in writers)
                    await writer.VerifyAsync(client, restarted.Url);
                await restarted.KillAsync();
            }
        }
        catch (Exception e) when (e is Xunit.Sdk.XunitException or InvalidOperationException)
        {
            throw new InvalidOperationException($"seed {seed}; the data folder is kept: {folder}\n{e.Message}", e);
        }
        Directory.Delete(folder, recursive: true);
    }

    private static async Task CreateAsync(HttpClient client, string url)
    {
        using var created = await client.PutAsync($"{url}/admin/databases?name=events", new StringContent("""{"DatabaseName":"events"}"""));
        created.EnsureSuccessStatusCode();
    }

    /// <summary>Stores snapshots 1 to 3 of a stream of its own again and again, and remembers what was acknowledged.</summary>
    private sealed class Writer(string stream, Random random)
    {
        private readonly Dictionary<int, (int Seed, int Bytes)> _stored = [];
        private (int Number, int Seed, int Bytes)? _underWay;

        public int Acknowledged { get; private set; }

        public async Task WriteAsync(HttpClient client, string url, CancellationToken stop)
        {
            while (!stop.IsCancellationRequested)
            {
                var one = (Number: random.Next(1, 4), Seed: random.Next(), Bytes: random.Next(random.Next(3) == 0 ? 5000 : LargestBytes));
                _underWay = one;
                try
                {
                    using var body = new ByteArrayContent(BytesOf(one.Seed, one.Bytes));
                    using var answer = await client.PutAsync(
                        $"{url}/databases/events/snapshots?stream={stream}&number={one.Number}&manifest={one.Seed}",
                        body,
                        CancellationToken.None
                    );
                    Assert.Equal(HttpStatusCode.Created, answer.StatusCode);
                }
                catch (Exception e) when (e is HttpRequestException or IOException)
                {
                    return;
                }
                _stored[one.Number] = (one.Seed, one.Bytes);
                _underWay = null;
                Acknowledged++;
            }
        }

        public async Task VerifyAsync(HttpClient client, string url)
        {
            using var list = JsonDocument.Parse(await client.GetStringAsync($"{url}/databases/events/snapshots/list?stream={stream}"));
            var found = list
                .RootElement.GetProperty("snapshots")
                .EnumerateArray()
                .ToDictionary(
                    one => one.GetProperty("number").GetInt32(),
                    one =>
                        (
                            Seed: int.Parse(one.GetProperty("manifest").GetString()!, CultureInfo.InvariantCulture),
                            Bytes: one.GetProperty("size").GetInt32()
                        )
                );
            // The last one may have been stored although nobody was told.
            if (_underWay is { } last && found.GetValueOrDefault(last.Number) == (last.Seed, last.Bytes))
                _stored[last.Number] = (last.Seed, last.Bytes);
            Assert.Equal(_stored.OrderBy(one => one.Key), found.OrderBy(one => one.Key));
            foreach (var (number, (seed, bytes)) in found)
            {
                var read = await client.GetByteArrayAsync(
                    $"{url}/databases/events/snapshots?stream={stream}&minNumber={number}&maxNumber={number}"
                );
                Assert.True(BytesOf(seed, bytes).AsSpan().SequenceEqual(read), $"snapshot {number} of {stream} has other bytes");
            }
        }

        private static byte[] BytesOf(int seed, int length)
        {
            var bytes = new byte[length];
            new Random(seed).NextBytes(bytes);
            return bytes;
        }
    }
}
