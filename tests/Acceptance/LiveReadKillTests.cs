using System.Globalization;
using System.Text;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance;

/// <summary>
/// kill -9 while writers append and readers follow live, again and again on one data folder: readers connect again with the last position
/// that they have seen. In the end each has every event that concerns it, once and in order, and nothing that is not in the database.
/// JACKDAW_KILL_ROUNDS sets the number of rounds, JACKDAW_TEST_SEED the times of the kills.
/// </summary>
public sealed class LiveReadKillTests
{
    private const int UsualRounds = 6;
    private const int Writers = 4;

    [Fact]
    [Trait("Category", "Slow")]
    public async Task Readers_resume_after_kill_9_without_gap_or_repetition()
    {
        var rounds = int.TryParse(Environment.GetEnvironmentVariable("JACKDAW_KILL_ROUNDS"), out var given) ? given : UsualRounds;
        var seed = int.TryParse(Environment.GetEnvironmentVariable("JACKDAW_TEST_SEED"), out var seeded) ? seeded : Random.Shared.Next();
        var random = new Random(seed);
        var folder = Directory.CreateTempSubdirectory("jackdaw-live-kill-").FullName;
        using var client = new HttpClient { Timeout = Timeout.InfiniteTimeSpan };
        var next = Enumerable.Repeat(1L, Writers).ToArray();
        Reader[] readers =
        [
            new("", _ => true),
            new("&stream=s1&stream=s3", e => e.Stream is "s1" or "s3"),
            new("&tag=t1", e => e.Tag == "t1"),
            new("&stream=s0&tag=t2", e => e.Stream == "s0" || e.Tag == "t2"),
        ];
        try
        {
            for (var round = 0; round <= rounds; round++)
            {
                await using var server = await ServerUnderTest.StartAsync(folder, []);
                if (round == 0)
                    await CreateAsync(client, server.Url);
                using var stop = new CancellationTokenSource();
                Task[] reading = [.. readers.Select(reader => reader.ReadAsync(client, server.Url))];
                if (round == rounds)
                {
                    var all = await AllAsync(client, server.Url);
                    await Eventually.IsAsync(() => readers.All(reader => reader.Place >= all[^1].Position));
                    await server.KillAsync();
                    await Task.WhenAll(reading);
                    foreach (var reader in readers)
                        Assert.Equal(all.Where(reader.Concerns), reader.Got);
                    break;
                }
                var before = readers[0].Got.Count;
                Task[] writing = [.. Enumerable.Range(0, Writers).Select(i => WriteAsync(client, server.Url, i, next, stop.Token))];
                await Eventually.IsAsync(() => readers[0].Got.Count > before + 50 || reading[0].IsFaulted);
                await Task.Delay(random.Next(0, 300));
                await server.KillAsync();
                await stop.CancelAsync();
                await Task.WhenAll(writing);
                await Task.WhenAll(reading);
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
        using var created = await client.PutAsync($"{url}/admin/databases?name=live", new StringContent("""{"DatabaseName":"live"}"""));
        created.EnsureSuccessStatusCode();
    }

    /// <summary>Appends to a stream of its own; repeats what was under way when the server was killed.</summary>
    private static async Task WriteAsync(HttpClient client, string url, int writer, long[] next, CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
        {
            var number = next[writer];
            var body = string.Create(
                CultureInfo.InvariantCulture,
                $$"""{"groups":[{"stream":"s{{writer}}","first":{{number}},"events":[{"payload":{{number}},"ticks":1,"tags":["t{{number % 3}}"]},{"payload":{{number + 1}},"ticks":1,"tags":["t{{number % 4}}"]}]}]}"""
            );
            try
            {
                using var content = new StringContent(body);
                using var answer = await client.PostAsync($"{url}/databases/live/events", content, CancellationToken.None);
                var text = await answer.Content.ReadAsStringAsync(CancellationToken.None);
                Assert.Contains("\"stored\"", text, StringComparison.Ordinal);
            }
            catch (Exception e) when (e is HttpRequestException or IOException)
            {
                return;
            }
            next[writer] += 2;
        }
    }

    private static async Task<List<Event>> AllAsync(HttpClient client, string url)
    {
        var all = new List<Event>();
        for (var isEnd = false; !isEnd; )
        {
            var after = all.Count == 0 ? 0 : all[^1].Position;
            using var page = JsonDocument.Parse(await client.GetStringAsync($"{url}/databases/live/events/all?after={after}&max=5000"));
            all.AddRange(page.RootElement.GetProperty("events").EnumerateArray().Select(Event.Read));
            isEnd = page.RootElement.GetProperty("isEnd").GetBoolean();
        }
        return all;
    }

    private sealed record Event(long Position, string Stream, long Number, string Tag)
    {
        public static Event Read(JsonElement json) =>
            new(
                json.GetProperty("position").GetInt64(),
                json.GetProperty("stream").GetString()!,
                json.GetProperty("number").GetInt64(),
                json.GetProperty("tags")[0].GetString()!
            );
    }

    private sealed class Reader(string query, Func<Event, bool> concerns)
    {
        private long _place;

        /// <summary>Everything that concerns it up to here has come.</summary>
        public long Place => Volatile.Read(ref _place);

        public List<Event> Got { get; } = [];

        public bool Concerns(Event stored) => concerns(stored);

        /// <summary>Until the connection breaks. A line that breaks off does not count.</summary>
        public async Task ReadAsync(HttpClient client, string url)
        {
            try
            {
                using var answer = await client.GetAsync(
                    $"{url}/databases/live/events/live?after={_place}{query}",
                    HttpCompletionOption.ResponseHeadersRead
                );
                await using var stream = await answer.Content.ReadAsStreamAsync();
                using var lines = new StreamReader(stream, Encoding.UTF8);
                while (await lines.ReadLineAsync() is { } line && line.EndsWith('}'))
                    Take(line);
            }
            catch (Exception e) when (e is HttpRequestException or IOException)
            {
                // Killed.
            }
        }

        private void Take(string line)
        {
            using var json = JsonDocument.Parse(line);
            if (json.RootElement.TryGetProperty("durable", out var durable))
            {
                Volatile.Write(ref _place, durable.GetInt64());
                return;
            }
            var stored = Event.Read(json.RootElement);
            Got.Add(stored);
            Volatile.Write(ref _place, stored.Position);
        }
    }
}
