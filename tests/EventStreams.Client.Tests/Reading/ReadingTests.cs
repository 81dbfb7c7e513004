using System.Text;
using Jackdaw.EventStreams.Client.Appending;
using Jackdaw.EventStreams.Client.Errors;
using Jackdaw.EventStreams.Client.Reading;
using Jackdaw.EventStreams.Client.Snapshots;
using Jackdaw.EventStreams.Client.Tests.Serving;

namespace Jackdaw.EventStreams.Client.Tests.Reading;

/// <summary>Reading from the real server.</summary>
public sealed class ReadingTests : IAsyncLifetime
{
    private DatabaseScene _scene = null!;
    private EventStreamsClient _client = null!;

    public async Task InitializeAsync()
    {
        _scene = await DatabaseScene.StartAsync();
        _client = new EventStreamsClient(_scene.Options);
    }

    public async Task DisposeAsync()
    {
        await _client.DisposeAsync();
        await _scene.DisposeAsync();
    }

    [Fact]
    public async Task Everything_comes_back_as_it_was_appended()
    {
        byte[][] payloads =
        [
            [0, 1, 2, 255],
            [],
            .. ((string[])["{\"a\":1.50}", " {} ", "[1,2", "\"half \\ud800\"", "{\"ä\": [null]}", "12"]).Select(Encoding.UTF8.GetBytes),
            [(byte)'"', 0xff, (byte)'"'],
            Encoding.UTF8.GetBytes(new string('[', 400) + new string(']', 400)),
            Encoding.UTF8.GetBytes($"\"{new string('x', 300_000)}\""),
        ];
        var stream = "konto/1 ä+%&=#?\"\\";
        var group = new EventGroup
        {
            First = 5,
            Writer = "writer \"1\"",
            Events =
            [
                .. payloads.Select(
                    (payload, i) =>
                        new NewEvent
                        {
                            Payload = payload,
                            Ticks = 638_000_000_000_000_000 + i,
                            Serializer = i - 3,
                            Manifest = i % 2 == 0 ? "" : $"Type`{i}",
                            AdapterManifest = i % 3 == 0 ? "" : $"adapter {i}",
                            Tags = [.. Enumerable.Range(0, i % 4).Select(t => $"tag {t} ü&")],
                        }
                ),
            ],
        };
        var result = Assert.Single(await _client.AppendAsync(new StreamAppend(stream, [group]), _client.Begin()));
        Assert.Equal(new GroupResult(AppendOutcome.Stored, 4 + payloads.Length, payloads.Length), result);

        var read = await ListAsync(_client.ReadAsync(stream));

        Assert.Equal(payloads.Length, read.Count);
        for (var i = 0; i < payloads.Length; i++)
        {
            var (sent, found) = (group.Events[i], read[i]);
            Assert.Equal(sent.Payload.ToArray(), found.Payload);
            Assert.Equal(
                (stream, 5L + i, i + 1L, sent.Ticks, sent.Serializer, sent.Manifest, sent.AdapterManifest, group.Writer),
                (
                    found.Stream,
                    found.Number,
                    found.Position,
                    found.Ticks,
                    found.Serializer,
                    found.Manifest,
                    found.AdapterManifest,
                    found.Writer
                )
            );
            Assert.Equal(sent.Tags.Order(), found.Tags.Order());
        }
        Assert.Equal(new StreamState(4 + payloads.Length, 0), await _client.HighestAsync(stream, _client.Begin()));
    }

    [Fact]
    public async Task Each_group_tells_its_outcome()
    {
        await StoreAsync("a", 1, 3, "w1");
        await StoreAsync("a", 4, 1, "w2");
        Assert.Equal(AppendOutcome.Stored, await OutcomeAsync(Appends.Of("a", 1, 3, writer: "w1")));
        Assert.Equal(AppendOutcome.Fenced, await OutcomeAsync(Appends.Of("a", 5, writer: "w1")));
        Assert.Equal(AppendOutcome.Duplicate, await OutcomeAsync(Appends.Of("a", 4, payload: "{\"other\":1}", writer: "w2")));
        var expecting = Appends.Group(9, writer: "w2") with { ExpectedLast = 8 };
        Assert.Equal(AppendOutcome.Conflict, await OutcomeAsync(new StreamAppend("a", [expecting])));
        // A gap, as a rejected event leaves it.
        Assert.Equal(AppendOutcome.Stored, await OutcomeAsync(Appends.Of("a", 7, writer: "w2")));
    }

    [Fact]
    public async Task A_stream_is_read_within_bounds_and_without_what_is_deleted()
    {
        await StoreAsync("a", 1, 10);
        Assert.Equal((long[])[3, 4, 5], await NumbersAsync(_client.ReadAsync("a", 3, 5)));
        Assert.Equal((long[])[3, 4], await NumbersAsync(_client.ReadAsync("a", 3, max: 2)));
        Assert.Empty(await NumbersAsync(_client.ReadAsync("a", 3, max: 0)));
        Assert.Empty(await NumbersAsync(_client.ReadAsync("unknown")));
        Assert.Empty(await NumbersAsync(_client.ReadAsync("A")));

        await _client.DeleteAsync("a", 4, _client.Begin());
        Assert.Equal((long[])[5, 6, 7, 8, 9, 10], await NumbersAsync(_client.ReadAsync("a")));
        await _client.DeleteAsync("a", long.MaxValue, _client.Begin());
        Assert.Empty(await NumbersAsync(_client.ReadAsync("a")));
        Assert.Equal(10, (await _client.HighestAsync("a", _client.Begin())).Highest);
    }

    [Fact]
    public async Task Pages_by_position_and_by_tag_cover_everything_once()
    {
        for (var i = 0; i < 10; i++)
        {
            var tagged = new NewEvent
            {
                Payload = "1"u8.ToArray(),
                Ticks = 1,
                Tags = i % 2 == 0 ? ["even"] : ["odd"],
            };
            await _client.AppendAsync(
                new StreamAppend($"s{i % 3}", [new EventGroup { First = (i / 3) + 1, Events = [tagged] }]),
                _client.Begin()
            );
        }
        var first = await _client.ReadAllAsync(0, long.MaxValue, 4);
        Assert.Equal([1, 2, 3, 4], first.Events.Select(e => e.Position));
        Assert.Equal((10L, false), (first.Durable, first.IsEnd));
        var rest = await _client.ReadAllAsync(4, 9, 100);
        Assert.Equal([5, 6, 7, 8, 9], rest.Events.Select(e => e.Position));
        Assert.True(rest.IsEnd);
        Assert.Equal([1, 3, 5, 7, 9], (await _client.ReadTaggedAsync(["even"], 0, 10, 100)).Events.Select(e => e.Position));
        Assert.Equal([6, 7], (await _client.ReadTaggedAsync(["even", "odd"], 5, 10, 2)).Events.Select(e => e.Position));

        var streams = await _client.StreamsAsync(0, 2);
        Assert.Equal(["s0", "s1"], streams.Streams);
        Assert.False(streams.IsEnd);
        Assert.Equal(["s2"], (await _client.StreamsAsync(streams.Next, 2)).Streams);
    }

    [Fact]
    public async Task A_read_goes_on_after_the_last_event_that_it_handed_over()
    {
        for (var first = 1; first <= 2000; first += 500)
            await StoreAsync("a", first, 500, payload: $"\"{new string('x', 8000)}\"");
        var cuts = _scene.Proxy.Cuts;
        List<long> numbers = [];
        _scene.Proxy.CutAfterBytes(toClient: 100_000);
        await foreach (var read in _client.ReadAsync("a"))
        {
            numbers.Add(read.Number);
            if (read.Number is 500 or 1200)
                _scene.Proxy.CutAfterBytes(toClient: 50_000);
        }
        Assert.Equal(Enumerable.Range(1, 2000).Select(i => (long)i), numbers);
        Assert.Equal(cuts + 3, _scene.Proxy.Cuts);
    }

    [Fact]
    public async Task A_database_that_was_created_again_is_told_apart()
    {
        await StoreAsync("a", 1, 3);
        using var http = new HttpClient();
        using var deletion = new HttpRequestMessage(HttpMethod.Delete, new Uri(_scene.Options.Url, "/admin/databases"))
        {
            Content = new StringContent("""{"DatabaseNames":["Actors"],"HardDelete":true}"""),
        };
        (await http.SendAsync(deletion)).EnsureSuccessStatusCode();
        await using (var other = new EventStreamsClient(_scene.Options))
            await other.WaitUntilReadyAsync();

        await Assert.ThrowsAsync<DatabaseChangedException>(() => StoreAsync("a", 4, 1));
        await Assert.ThrowsAsync<DatabaseChangedException>(() => _client.HighestAsync("a", _client.Begin()));
        await Assert.ThrowsAsync<DatabaseChangedException>(() => _client.ReadAllAsync(0, long.MaxValue, 1));
        var snapshot = new Snapshot
        {
            Stream = "a",
            Number = 4,
            Ticks = 1,
            Bytes = new byte[1],
        };
        await Assert.ThrowsAsync<DatabaseChangedException>(() => _client.SaveSnapshotAsync(snapshot, _client.Begin()));
        await Assert.ThrowsAsync<DatabaseChangedException>(() => _client.LoadSnapshotAsync("a", new SnapshotBounds(), _client.Begin()));
        await using var fresh = new EventStreamsClient(_scene.Options);
        Assert.Empty((await fresh.ReadAllAsync(0, long.MaxValue, 1)).Events);
    }

    [Fact]
    public async Task Waiting_for_a_server_that_is_down_ends_when_it_is_there()
    {
        await _scene.KillServerAsync();
        var failures = 0;
        await using var client = new EventStreamsClient(_scene.Options);
        var ready = client.WaitUntilReadyAsync(_ => Interlocked.Increment(ref failures));
        await Eventually.IsAsync(() => Volatile.Read(ref failures) > 0);
        Assert.False(ready.IsCompleted);
        await _scene.StartServerAsync();
        await ready.WaitAsync(Eventually.Patience);
        Assert.NotNull(client.DatabaseId);
    }

    private static async Task<List<StoredEvent>> ListAsync(IAsyncEnumerable<StoredEvent> events)
    {
        List<StoredEvent> list = [];
        await foreach (var read in events)
            list.Add(read);
        return list;
    }

    private static async Task<long[]> NumbersAsync(IAsyncEnumerable<StoredEvent> events) =>
        [.. (await ListAsync(events)).Select(read => read.Number)];

    private async Task<AppendOutcome> OutcomeAsync(StreamAppend append) =>
        Assert.Single(await _client.AppendAsync(append, _client.Begin())).Outcome;

    private async Task StoreAsync(string stream, long first, int count, string writer = "w", string payload = "{}") =>
        Assert.Equal(AppendOutcome.Stored, await OutcomeAsync(Appends.Of(stream, first, count, payload, writer)));
}
