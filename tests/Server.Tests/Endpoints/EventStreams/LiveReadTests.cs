using System.Globalization;
using System.Text;
using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Server.Endpoints.EventStreams.Live;
using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Endpoints.EventStreams;

/// <summary>Live reads of event streams: docs/event-streams.md, "Live reads".</summary>
public sealed class LiveReadTests : IAsyncLifetime
{
    /// <summary>No timer runs in these tests: whatever comes was woken by a transaction, or by a call of <c>Beat</c>.</summary>
    private static readonly LiveReadLimits s_limits = new()
    {
        MaxKeptPositions = 4,
        MaxReadersPerDatabase = 50,
        Beat = TimeSpan.FromDays(1),
        Heartbeat = TimeSpan.FromDays(2),
    };

    private ServerScene _scene = null!;

    public async Task InitializeAsync() => _scene = await ServerScene.OpenAsync(live: s_limits);

    public async Task DisposeAsync() => await _scene.DisposeAsync();

    [Fact]
    public async Task A_reader_gets_what_is_stored_from_now_on_as_other_reads_show_it()
    {
        await AppendAsync("a", 1);
        await using var client = await LiveClient.ConnectAsync(_scene);

        await _scene.SendAsync(
            "POST",
            "/events",
            body: """{"groups":[{"stream":"account/1 ä","first":1,"writer":"w","events":[{"payload":{"deposited" : 10},"ticks":5,"tags":["green"]},{"payloadBase64":"AQID"}]}]}"""
        );

        Assert.Equal(1, client.First);
        var read = (await _scene.SendAsync("GET", "/events/all", "?after=1")).Json.GetProperty("events");
        Assert.Equal(read[0].GetRawText(), (await client.NextAsync()).GetRawText());
        Assert.Equal(read[1].GetRawText(), (await client.NextAsync()).GetRawText());
    }

    [Fact]
    public async Task An_event_is_one_line_however_many_its_payload_was_sent_in()
    {
        await using var client = await LiveClient.ConnectAsync(_scene);
        var payload = "{\n  \"a\": [1,\r\n 2],\n\n \"text\": \"x\\ny\" }";
        await _scene.SendAsync("POST", "/events", body: $$"""{"groups":[{"stream":"a","first":1,"events":[{"payload":{{payload}}}]}]}""");
        await AppendAsync("a", 2);

        var read = (await client.NextAsync()).GetProperty("payload");
        Assert.Equal(payload.Replace('\n', ' ').Replace('\r', ' '), read.GetRawText());
        Assert.Equal("x\ny", read.GetProperty("text").GetString());
        Assert.Equal("a/2", await client.NextEventAsync());
    }

    [Fact]
    public async Task A_reader_gets_the_events_of_its_streams_and_tags_once_and_in_order()
    {
        await using var client = await LiveClient.ConnectAsync(_scene, "?stream=a&stream=nobody&stream=a&tag=red&tag=green&tag=red");
        await AppendAsync("b", 1, "blue");
        await AppendAsync("a", 1, "red", "green");
        await AppendAsync("A", 1, "Red");
        await AppendAsync("b", 2, "green");
        await AppendAsync("nobody", 1);
        await AppendAsync("c", 1);
        await AppendAsync("a", 2);

        Assert.Equal("a/1", await client.NextEventAsync());
        Assert.Equal("b/2", await client.NextEventAsync());
        Assert.Equal("nobody/1", await client.NextEventAsync());
        Assert.Equal("a/2", await client.NextEventAsync());
    }

    [Fact]
    public async Task A_reader_resumes_after_any_position_of_streams_and_tags()
    {
        for (var number = 1; number <= 40; number++)
        {
            await AppendAsync("a", 3 * number, number % 5 == 0 ? "five" : "other");
            await AppendAsync("b", number, number % 7 == 0 ? "seven" : "other");
        }
        await _scene.SendAsync("DELETE", "/events", "?stream=a&to=15");
        var all = (await _scene.SendAsync("GET", "/events/all", "")).Json.GetProperty("events").EnumerateArray().ToList();
        string[] queries = ["", "&stream=a", "&tag=five", "&stream=b&tag=five", "&tag=seven&tag=five", "&stream=a&stream=b"];
        foreach (var query in queries)
        {
            for (var after = 0; after <= 81; after += 3)
            {
                await using var client = await LiveClient.ConnectAsync(_scene, $"?after={after}{query}");
                Assert.Equal(after, client.First);
                foreach (var expected in all.Where(stored => stored.GetProperty("position").GetInt64() > after && Concerns(stored, query)))
                    Assert.Equal(expected.GetRawText(), (await client.NextAsync()).GetRawText());
            }
        }
    }

    [Fact]
    public async Task Deleted_events_are_not_given()
    {
        for (var number = 1; number <= 6; number++)
            await AppendAsync("a", number, "t");
        await _scene.SendAsync("DELETE", "/events", "?stream=a&to=5");
        foreach (var query in new[] { "?after=0", "?after=0&stream=a", "?after=2&tag=t" })
        {
            await using var client = await LiveClient.ConnectAsync(_scene, query);
            Assert.Equal("a/6", await client.NextEventAsync());
        }
    }

    [Fact]
    public async Task An_event_that_is_deleted_while_it_waits_for_its_client_is_not_given()
    {
        await using var client = await LiveClient.ConnectAsync(_scene, "?stream=a");
        await AppendManyAsync("a", 1, 1, new string('x', 100_000));
        await Eventually.IsAsync(() => client.HasUnread);
        await AppendAsync("a", 2);
        await AppendAsync("a", 3);
        await Eventually.IsAsync(() => _scene.Database.Attached<DatabaseLiveReads>()!.Passed == 3);
        await _scene.SendAsync("DELETE", "/events", "?stream=a&to=2");

        Assert.Equal("a/1", await client.NextEventAsync());
        Assert.Equal("a/3", await client.NextEventAsync());
    }

    [Fact]
    public async Task A_stream_and_a_tag_that_nobody_followed_are_followed_from_now_on()
    {
        await using var other = await LiveClient.ConnectAsync(_scene, "?stream=other&tag=other");
        await AppendAsync("a", 1, "t");
        await Eventually.IsAsync(() => _scene.Database.Attached<DatabaseLiveReads>()!.Passed == 1);
        await using var stream = await LiveClient.ConnectAsync(_scene, "?stream=a");
        await using var tag = await LiveClient.ConnectAsync(_scene, "?tag=t");
        await AppendAsync("a", 2, "t");
        await AppendAsync("other", 1);

        Assert.Equal("a/2", await stream.NextEventAsync());
        Assert.Equal("a/2", await tag.NextEventAsync());
        Assert.Equal("other/1", await other.NextEventAsync());
    }

    [Fact]
    public async Task A_client_that_does_not_read_falls_behind_and_gets_everything_afterwards()
    {
        await using var client = await LiveClient.ConnectAsync(_scene, "?stream=a&tag=t");
        const int events = 500;
        for (var number = 1; number <= events; number++)
            await AppendAsync(number % 2 == 0 ? "a" : "b", number, new string('x', 200), number % 2 == 0 ? "u" : "t");
        await AppendAsync("a", events + 1);
        Assert.Equal(0, _scene.Database.StorageStatistics().Readers);

        for (var number = 1; number <= events; number++)
            Assert.Equal($"{(number % 2 == 0 ? "a" : "b")}/{number}", await client.NextEventAsync());
        Assert.Equal($"a/{events + 1}", await client.NextEventAsync());
    }

    [Fact]
    public async Task A_reader_that_is_only_woken_is_told_of_events_and_deletions_that_concern_it()
    {
        await AppendAsync("a", 1, "t");
        await using var stream = await LiveClient.ConnectAsync(_scene, "?wakeOnly=true&stream=a");
        await using var tag = await LiveClient.ConnectAsync(_scene, "?wakeOnly&tag=u");
        await using var all = await LiveClient.ConnectAsync(_scene, "?wakeOnly=true");

        await AppendAsync("b", 1, "t");
        Assert.Equal("""{"durable":2}""", (await all.NextAsync()).GetRawText());
        await AppendAsync("b", 2, "u");
        Assert.Equal("""{"durable":3}""", (await all.NextAsync()).GetRawText());
        Assert.Equal("""{"durable":3}""", (await tag.NextAsync()).GetRawText());
        await _scene.SendAsync("DELETE", "/events", "?stream=b&to=1");
        Assert.Equal("""{"durable":4}""", (await all.NextAsync()).GetRawText());
        Assert.Equal("""{"durable":4}""", (await tag.NextAsync()).GetRawText());
        await _scene.SendAsync("DELETE", "/events", "?stream=a&to=1");
        Assert.Equal("""{"durable":5}""", (await stream.NextAsync()).GetRawText());
        Assert.Equal("""{"durable":5}""", (await all.NextAsync()).GetRawText());
    }

    [Theory]
    [InlineData("?wakeOnly=true&after=0", true)]
    [InlineData("?wakeOnly=true&after=3", true)]
    [InlineData("?wakeOnly=true&after=4", false)]
    [InlineData("?wakeOnly=true&stream=a&after=0", true)]
    [InlineData("?wakeOnly=true&stream=a&after=1", false)]
    [InlineData("?wakeOnly=true&stream=b&after=3", true)]
    [InlineData("?wakeOnly=true&tag=t&after=1", true)]
    [InlineData("?wakeOnly=true&stream=none&after=0", false)]
    public async Task A_reader_that_is_only_woken_and_resumes_is_woken_at_once_if_it_has_missed_something(string query, bool isWoken)
    {
        await AppendAsync("a", 1, "t");
        await AppendAsync("b", 1, "u");
        await AppendAsync("b", 2, "u");
        await _scene.SendAsync("DELETE", "/events", "?stream=b&to=1");
        await using var client = await LiveClient.ConnectAsync(_scene, query);

        if (isWoken)
            Assert.Equal("""{"durable":4}""", (await client.NextAsync()).GetRawText());
        var reader = client.NextAsync();
        _scene.LiveClock.Advance(TimeSpan.FromDays(3));
        await Eventually.IsAsync(() =>
        {
            _scene.State.LiveReads.Beat();
            return reader.IsCompleted;
        });
        Assert.Equal("""{"heartbeat":true,"durable":4}""", (await reader).GetRawText());
    }

    [Fact]
    public async Task A_reader_that_is_woken_by_name_is_told_which_of_its_streams_and_tags_are_concerned()
    {
        await using var named = await LiveClient.ConnectAsync(_scene, "?wakeOnly=true&named=true&stream=a&stream=b&tag=t&tag=%22u%22");
        await using var also = await LiveClient.ConnectAsync(_scene, "?wakeOnly=true&named=true&everything=true&stream=a");

        await AppendAsync("a", 1, "t");
        Assert.Equal("""{"durable":1,"streams":["a"],"tags":["t"]}""", (await named.NextAsync()).GetRawText());
        Assert.Equal("""{"durable":1,"streams":["a"]}""", (await also.NextAsync()).GetRawText());
        await AppendAsync("c", 1);
        Assert.Equal("""{"durable":2}""", (await also.NextAsync()).GetRawText());
        await AppendAsync("c", 2, "\"u\"");
        Assert.Equal("\"u\"", (await named.NextAsync()).GetProperty("tags")[0].GetString());
        Assert.Equal("""{"durable":3}""", (await also.NextAsync()).GetRawText());
        // Deletions are not told: nothing that is read by position comes or goes out of order.
        await _scene.SendAsync("DELETE", "/events", "?stream=a&to=1");
        await AppendAsync("b", 1);
        Assert.Equal("""{"durable":5,"streams":["b"]}""", (await named.NextAsync()).GetRawText());
        Assert.Equal("""{"durable":5}""", (await also.NextAsync()).GetRawText());
    }

    [Fact]
    public async Task A_reader_that_is_woken_by_name_and_resumes_is_told_that_any_may_be_concerned()
    {
        await AppendAsync("a", 1, "t");
        await AppendAsync("b", 1);
        await using var missed = await LiveClient.ConnectAsync(_scene, "?wakeOnly=true&named=true&after=0&stream=a&stream=c");
        await using var none = await LiveClient.ConnectAsync(_scene, "?wakeOnly=true&named=true&after=1&stream=a");
        Assert.Equal("""{"durable":2,"any":true}""", (await missed.NextAsync()).GetRawText());
        await AppendAsync("a", 2);
        Assert.Equal("""{"durable":3,"streams":["a"]}""", (await missed.NextAsync()).GetRawText());
        Assert.Equal("""{"durable":3,"streams":["a"]}""", (await none.NextAsync()).GetRawText());
    }

    [Fact]
    public async Task Wakes_are_coalesced_while_the_client_does_not_read()
    {
        await using var client = await LiveClient.ConnectAsync(_scene, "?wakeOnly=true");
        for (var number = 1; number <= 3000; number += 100)
            await AppendManyAsync("a", number, 100, "x");

        var lines = 0;
        for (long durable = 0; durable < 3000; lines++)
            durable = (await client.NextAsync()).GetProperty("durable").GetInt64();
        Assert.InRange(lines, 1, 30);
    }

    [Fact]
    public async Task A_position_beyond_the_last_one_is_of_another_history()
    {
        await AppendAsync("a", 1);
        await using var client = await LiveClient.ConnectAsync(_scene, "?after=2");

        var (type, message) = await client.EndAsync();
        Assert.Equal((1, "AnotherHistory"), (client.First, type));
        Assert.Contains("The position 2 lies beyond the last one of the database 'db', 1", message, StringComparison.Ordinal);
        Assert.False(client.WasAborted);
        Assert.Equal(0, _scene.State.LiveReads.ReaderCount);
    }

    [Theory]
    [InlineData("?after=-1", "must not be negative")]
    [InlineData("?after=x", "must be a whole number")]
    [InlineData("?stream=", "The parameter 'stream' is empty")]
    [InlineData("?tag=a&tag=", "The parameter 'tag' is empty")]
    [InlineData("?wakeOnly=perhaps", "must be true or false")]
    [InlineData("?named=true&stream=a", "'named' needs 'wakeOnly'")]
    [InlineData("?wakeOnly=true&everything=true&stream=a", "'everything' needs 'wakeOnly' and 'named'")]
    public async Task What_breaks_a_rule_is_refused(string query, string error)
    {
        var answer = await _scene.SendAsync("GET", "/events/live", query);
        Assert.Equal(400, answer.Status);
        Assert.Contains(error, answer.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Limits_are_named_where_they_are_passed()
    {
        var names = string.Join('&', Enumerable.Range(0, 257).Select(i => i % 2 == 0 ? $"stream={i}" : $"tag={i}"));
        var many = await _scene.SendAsync("GET", "/events/live", "?" + names);
        Assert.Equal(400, many.Status);
        Assert.Contains("257 streams and tags", many.Text, StringComparison.Ordinal);
        Assert.Contains("LiveReadLimits.MaxNamesPerReader", many.Text, StringComparison.Ordinal);
        var @long = await _scene.SendAsync("GET", "/events/live", "?stream=" + new string('x', 1001));
        Assert.Contains("1,001 bytes; the limit is 1,000", @long.Text, StringComparison.Ordinal);
        var inner = await _scene.SendAsync("POST", "/multi_get", body: """{"Requests":[{"Url":"/databases/db/events/live","Query":""}]}""");
        Assert.Contains("A live read does not end", inner.Text, StringComparison.Ordinal);

        var clients = new List<LiveClient>();
        for (var i = 0; i < s_limits.MaxReadersPerDatabase; i++)
            clients.Add(await LiveClient.ConnectAsync(_scene));
        var refused = await _scene.SendAsync("GET", "/events/live");
        Assert.Equal(503, refused.Status);
        Assert.Contains("LiveReadLimits.MaxReadersPerDatabase", refused.Text, StringComparison.Ordinal);
        await clients[7].CutAsync();
        await using (await LiveClient.ConnectAsync(_scene))
            foreach (var client in clients)
                await client.DisposeAsync();
        Assert.Equal(0, _scene.State.LiveReads.ReaderCount);
    }

    private static bool Concerns(JsonElement stored, string query) =>
        query.Length == 0
        || query.Contains($"stream={stored.GetProperty("stream").GetString()}", StringComparison.Ordinal)
        || stored.GetProperty("tags").EnumerateArray().Any(tag => query.Contains($"tag={tag.GetString()}", StringComparison.Ordinal));

    private Task AppendAsync(string stream, long number, params string[] tags) => AppendManyAsync(stream, number, 1, "p", tags);

    private async Task AppendManyAsync(string stream, long first, int count, string payload, params string[] tags)
    {
        var append = new AppendOperation(Limits.Default);
        var group = append.AddGroup();
        group.SetStream(Encoding.UTF8.GetBytes(stream));
        group.First = first;
        for (var i = 0; i < count; i++)
            group.Add(
                new NewEvent
                {
                    Payload = Encoding.UTF8.GetBytes(payload),
                    Tags = [.. tags.Select(tag => (ReadOnlyMemory<byte>)Encoding.UTF8.GetBytes(tag))],
                }
            );
        append.Complete();
        await _scene.Database.SubmitAsync(append);
        Assert.Equal(AppendOutcome.Stored, append.Groups[0].Outcome);
    }
}
