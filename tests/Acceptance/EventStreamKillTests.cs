using System.Globalization;
using System.Text;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance;

/// <summary>
/// kill -9 while many append events, again and again on one data folder: after each restart every acknowledged event is there, in its
/// place, once; and whoever repeats what was under way is answered "stored". JACKDAW_KILL_ROUNDS sets the number of rounds,
/// JACKDAW_TEST_SEED the times of the kills.
/// </summary>
public sealed class EventStreamKillTests
{
    private const int UsualRounds = 8;
    private const int Writers = 8;

    [Fact]
    [Trait("Category", "Slow")]
    public async Task Every_acknowledged_event_survives_kill_9_and_every_repeat_is_stored()
    {
        var rounds = int.TryParse(Environment.GetEnvironmentVariable("JACKDAW_KILL_ROUNDS"), out var given) ? given : UsualRounds;
        var seed = int.TryParse(Environment.GetEnvironmentVariable("JACKDAW_TEST_SEED"), out var seeded) ? seeded : Random.Shared.Next();
        var random = new Random(seed);
        var folder = Directory.CreateTempSubdirectory("jackdaw-events-kill-").FullName;
        using var client = new HttpClient { Timeout = Eventually.Patience };
        Writer[] writers =
        [
            .. Enumerable.Range(0, Writers).Select(i => new Writer($"{(i % 2 == 0 ? "actor" : "Actor")}-{i / 2}", new Random(seed + i))),
        ];
        try
        {
            for (var round = 0; round < rounds; round++)
            {
                await using (var server = await ServerUnderTest.StartAsync(folder, []))
                {
                    if (round == 0)
                        await CreateAsync(client, server.Url);
                    var before = writers.Sum(writer => writer.Acknowledged.Count);
                    using var stop = new CancellationTokenSource();
                    Task[] writing = [.. writers.Select(writer => writer.WriteAsync(client, server.Url, stop.Token))];
                    await Eventually.IsAsync(() => writers.Sum(writer => writer.Acknowledged.Count) > before + 50);
                    await Task.Delay(random.Next(0, 300));
                    await server.KillAsync();
                    await stop.CancelAsync();
                    await Task.WhenAll(writing);
                }
                await using var restarted = await ServerUnderTest.StartAsync(folder, []);
                await VerifyAsync(client, restarted.Url, writers);
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

    private static async Task VerifyAsync(HttpClient client, string url, Writer[] writers)
    {
        foreach (var writer in writers)
            await writer.RepeatAsync(client, url);
        var found = new Dictionary<string, List<string>>(StringComparer.Ordinal);
        long last = 0;
        for (var isEnd = false; !isEnd; )
        {
            using var page = JsonDocument.Parse(await client.GetStringAsync($"{url}/databases/events/events/all?after={last}&max=5000"));
            foreach (var one in page.RootElement.GetProperty("events").EnumerateArray())
            {
                var position = one.GetProperty("position").GetInt64();
                Assert.True(position > last, $"position {position} comes after {last}");
                last = position;
                var stream = one.GetProperty("stream").GetString()!;
                if (!found.TryGetValue(stream, out var events))
                    found.Add(stream, events = []);
                events.Add($"{one.GetProperty("number")}:{one.GetProperty("payload").GetRawText()}");
            }
            isEnd = page.RootElement.GetProperty("isEnd").GetBoolean();
        }
        foreach (var writer in writers)
            Assert.Equal(writer.Acknowledged, found.GetValueOrDefault(writer.Stream) ?? []);
    }

    /// <summary>Appends groups to a stream of its own, one after another, and remembers what was acknowledged.</summary>
    private sealed class Writer(string stream, Random random)
    {
        private readonly List<string> _bodies = [];
        private string? _underWay;
        private List<string> _underWayEvents = [];
        private long _next = 1;

        public string Stream => stream;

        /// <summary>The events that the stream holds, in their order.</summary>
        public List<string> Acknowledged { get; } = [];

        public async Task WriteAsync(HttpClient client, string url, CancellationToken stop)
        {
            while (!stop.IsCancellationRequested)
            {
                Draw();
                try
                {
                    await SendAsync(client, url, _underWay!);
                }
                catch (Exception e) when (e is HttpRequestException or IOException)
                {
                    return;
                }
                Acknowledge();
            }
        }

        /// <summary>What was under way when the server was killed, and what was answered long ago.</summary>
        public async Task RepeatAsync(HttpClient client, string url)
        {
            if (_underWay is { } body)
            {
                await SendAsync(client, url, body);
                Acknowledge();
            }
            for (var i = 0; i < 3 && _bodies.Count > 0; i++)
                await SendAsync(client, url, _bodies[random.Next(_bodies.Count)]);
        }

        private void Draw()
        {
            var events = new StringBuilder();
            _underWayEvents = [];
            for (var i = random.Next(1, 5); i > 0; i--)
            {
                var number = _next + _underWayEvents.Count;
                var payload = string.Create(CultureInfo.InvariantCulture, $$"""{"n":{{number}},"r":{{random.Next()}}}""");
                events.Append(
                    CultureInfo.InvariantCulture,
                    $$"""{{(events.Length > 0 ? "," : "")}}{"payload":{{payload}},"ticks":{{number}},"tags":["t{{number % 3}}"]}"""
                );
                _underWayEvents.Add($"{number}:{payload}");
            }
            _underWay = string.Create(
                CultureInfo.InvariantCulture,
                $$"""{"groups":[{"stream":"{{stream}}","first":{{_next}},"expectedLast":{{_next - 1}},"writer":"w","events":[{{events}}]}]}"""
            );
        }

        private void Acknowledge()
        {
            _bodies.Add(_underWay!);
            Acknowledged.AddRange(_underWayEvents);
            _next += _underWayEvents.Count;
            _underWay = null;
        }

        /// <summary>Throws an <see cref="HttpRequestException"/> when no answer comes.</summary>
        private static async Task SendAsync(HttpClient client, string url, string body)
        {
            using var content = new StringContent(body);
            using var answer = await client.PostAsync($"{url}/databases/events/events", content);
            var text = await answer.Content.ReadAsStringAsync();
            Assert.True(answer.IsSuccessStatusCode, text);
            using var json = JsonDocument.Parse(text);
            Assert.Equal("stored", json.RootElement.GetProperty("groups")[0].GetProperty("outcome").GetString());
        }
    }
}
