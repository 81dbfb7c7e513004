using System.Globalization;
using System.Text.Json;
using Jackdaw.Documents;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Endpoints.EventStreams;

/// <summary>Event streams over HTTP: docs/event-streams.md, "HTTP".</summary>
public sealed class EventStreamsEndpointTests : IAsyncLifetime
{
    private ServerScene _scene = null!;

    public async Task InitializeAsync() =>
        _scene = await ServerScene.OpenAsync(new Limits { MaxEventBytes = 5000, MaxAppendBytes = 100_000 });

    public async Task DisposeAsync() => await _scene.DisposeAsync();

    [Fact]
    public async Task Events_are_appended_and_read_back_with_everything_that_was_sent()
    {
        var answer = await AppendAsync(
            """
            {"groups":[{"events":[
                {"payload": { "deposited" : 1.50,  "text":"ä\u00e4" },"tags":["green","a\"b"],"ticks":"638000000000000001","manifest":"M","adapterManifest":"A","serializer":-7},
                {"payloadBase64":"AQID/w==","ticks":5}],
              "writer":"w1","expectedLast":0,"stream":"account/1 ä"}]}
            """
        );

        Assert.Equal(_scene.Database.IdText, answer.GetProperty("databaseId").GetString());
        var group = Assert.Single(answer.GetProperty("groups").EnumerateArray());
        Assert.Equal("""{"outcome":"stored","highest":2,"lastPosition":2}""", group.GetRawText());
        var text = (await GetAsync("/events", "?stream=account%2F1%20%C3%A4")).Text;
        Assert.Equal(
            $$"""{"databaseId":"{{_scene.Database.IdText}}","durable":2,"events":["""
                + """{"position":1,"stream":"account/1 ä","number":1,"ticks":"638000000000000001","writer":"w1","serializer":-7,"manifest":"M","adapterManifest":"A","tags":["green","a\"b"],"payload":{ "deposited" : 1.50,  "text":"ä\u00e4" }},"""
                + """{"position":2,"stream":"account/1 ä","number":2,"ticks":"5","writer":"w1","payloadBase64":"AQID/w=="}],"isEnd":true}""",
            text
        );
    }

    [Fact]
    public async Task A_request_for_a_database_with_another_id_is_refused_and_stores_nothing()
    {
        const string Body = """{"groups":[{"stream":"a","first":1,"events":[{"payload":1}]}]}""";

        var refused = await _scene.SendAsync("POST", "/events", "?databaseId=AAAAAAAAAAAAAAAAAAAAAA", Body);

        Assert.Equal(412, refused.Status);
        Assert.Contains("AAAAAAAAAAAAAAAAAAAAAA", refused.Text, StringComparison.Ordinal);
        Assert.Equal(
            $$"""{"databaseId":"{{_scene.Database.IdText}}","highest":0,"deletedUpTo":0}""",
            (await GetAsync("/events/highest", "?stream=a")).Text
        );
        var meant = "?databaseId=" + Uri.EscapeDataString(_scene.Database.IdText);
        Assert.Equal(200, (await _scene.SendAsync("POST", "/events", meant, Body)).Status);
        Assert.Equal(
            $$"""{"databaseId":"{{_scene.Database.IdText}}","highest":1,"deletedUpTo":0}""",
            (await GetAsync("/events/highest", meant + "&stream=a")).Text
        );
    }

    [Fact]
    public async Task Each_group_is_answered_with_its_outcome()
    {
        await AppendAsync("a", 1, "w1");
        await AppendAsync("a", 2, "w2");
        var large = JsonSerializer.Serialize(new string('x', 6000));

        var answer = await AppendAsync(
            $$"""
            {"groups":[
              {"stream":"a","first":1,"writer":"w1","events":[{"payload":1,"ticks":1,"tags":["t"]}]},
              {"stream":"a","first":3,"writer":"w1","events":[{"payload":3}]},
              {"stream":"b","first":1,"expectedLast":7,"events":[{"payload":1}]},
              {"stream":"c","first":1,"events":[{"payload":{{large}}}]},
              {"stream":"c","first":2,"events":[{"payload":2}]}]}
            """
        );

        Assert.Equal(
            ["stored 2", "fenced 2", "conflict 0", "too-large 2", "stored 2"],
            answer.GetProperty("groups").EnumerateArray().Select(g => $"{g.GetProperty("outcome").GetString()} {g.GetProperty("highest")}")
        );
        var again = await AppendAsync("""{"groups":[{"stream":"c","first":2,"events":[{"payload":9}]}]}""");
        Assert.Equal("duplicate", again.GetProperty("groups")[0].GetProperty("outcome").GetString());
        var taken = await AppendAsync("""{"groups":[{"stream":"a","first":3,"writer":"w1","takeOver":true,"events":[{"payload":3}]}]}""");
        Assert.Equal("stored", taken.GetProperty("groups")[0].GetProperty("outcome").GetString());
    }

    [Fact]
    public async Task A_stream_is_read_by_number_in_both_directions_in_pages()
    {
        for (var number = 1; number <= 9; number++)
            await AppendAsync("a", number);

        Assert.Equal("3 4 5 end", await NumbersAsync("/events", "?stream=a&from=3&to=5"));
        Assert.Equal("5 4 3 end", await NumbersAsync("/events", "?stream=a&from=3&to=5&backward=true"));
        Assert.Equal("1 2", await NumbersAsync("/events", "?stream=a&max=2"));
        Assert.Equal("9 8", await NumbersAsync("/events", "?stream=a&max=2&backward"));
        Assert.Equal("", await NumbersAsync("/events", "?stream=a&max=0"));
        Assert.Equal("end", await NumbersAsync("/events", "?stream=a&from=5&to=3"));
        Assert.Equal("end", await NumbersAsync("/events", "?stream=A"));
        Assert.Equal("9 end", await NumbersAsync("/events", $"?stream=a&from=9&to={long.MaxValue}"));
    }

    [Fact]
    public async Task All_streams_and_tags_are_read_from_a_position_up_to_another()
    {
        await AppendAsync("a", 1, tag: "red");
        await AppendAsync("b", 1, tag: "green");
        await AppendAsync("a", 2, tag: "green");
        await AppendAsync("c", 1, tag: "Red");

        Assert.Equal("1 1 2 1 end", await NumbersAsync("/events/all", ""));
        Assert.Equal("2 1 end", await NumbersAsync("/events/all", "?after=2"));
        Assert.Equal("1 2 end", await NumbersAsync("/events/all", "?after=1&upTo=3"));
        Assert.Equal("1 end", await NumbersAsync("/events/tagged", "?tag=red"));
        Assert.Equal("1 1 2 end", await NumbersAsync("/events/tagged", "?tag=red&tag=green&tag=blue"));
        Assert.Equal("1", await NumbersAsync("/events/tagged", "?tag=green&max=1"));
        Assert.Equal("2 end", await NumbersAsync("/events/tagged", "?tag=green&after=2"));
        var streams = (await GetAsync("/events/streams", "?after=1&max=2")).Json;
        Assert.Equal(["b", "c"], streams.GetProperty("streams").EnumerateArray().Select(s => s.GetProperty("id").GetString()));
        Assert.True((await GetAsync("/events/streams", $"?after={streams.GetProperty("next")}")).Json.GetProperty("isEnd").GetBoolean());
    }

    [Fact]
    public async Task A_deletion_hides_events_and_keeps_the_highest_number()
    {
        await AppendAsync("a", 1, tag: "t");
        await AppendAsync("a", 2, tag: "t");

        var deleted = await _scene.SendAsync("DELETE", "/events", "?stream=a&to=1");

        Assert.Equal($$"""{"databaseId":"{{_scene.Database.IdText}}","deletedUpTo":1,"highest":2}""", deleted.Text);
        Assert.Equal("2 end", await NumbersAsync("/events", "?stream=a"));
        Assert.Equal("2 end", await NumbersAsync("/events/all", ""));
        Assert.Equal("2 end", await NumbersAsync("/events/tagged", "?tag=t"));
        await _scene.SendAsync("DELETE", "/events", $"?stream=a&to={long.MaxValue}");
        Assert.Equal("end", await NumbersAsync("/events/all", ""));
        Assert.Equal(
            $$"""{"databaseId":"{{_scene.Database.IdText}}","highest":2,"deletedUpTo":2}""",
            (await GetAsync("/events/highest", "?stream=a")).Text
        );
        Assert.Equal(
            $$"""{"databaseId":"{{_scene.Database.IdText}}","highest":0,"deletedUpTo":0}""",
            (await GetAsync("/events/highest", "?stream=x")).Text
        );
    }

    [Theory]
    [InlineData("""{"groups":[]}""", "no groups")]
    [InlineData("""{}""", "no groups")]
    [InlineData("""[]""", "must be an object")]
    [InlineData("""{"groups":[{"stream":"a","first":1,"events":[{"payload":1}],"wrong":1}]}""", "groups[0] has the unknown member 'wrong'")]
    [InlineData(
        """{"groups":[{"stream":"a","first":1,"events":[{"payload":1,"tag":"x"}]}]}""",
        "groups[0].events[0] has the unknown member 'tag'"
    )]
    [InlineData("""{"groups":[{"stream":"a","first":1,"events":[{}]}]}""", "groups[0].events[0] has neither payload")]
    [InlineData("""{"groups":[{"stream":"a","first":1,"events":[{"payload":1,"payloadBase64":""}]}]}""", "more than one payload")]
    [InlineData(
        """{"groups":[{"stream":"a","first":1,"events":[{"payloadBase64":"x"}]}]}""",
        "groups[0].events[0].payloadBase64 is not Base64"
    )]
    [InlineData("""{"groups":[{"stream":"a","first":0,"events":[{"payload":1}]}]}""", "groups[0].first is 0")]
    [InlineData(
        """{"groups":[{"stream":"a","first":9223372036854775808,"events":[{"payload":1}]}]}""",
        "groups[0].first must be a whole number"
    )]
    [InlineData("""{"groups":[{"stream":"a","first":1.5,"events":[{"payload":1}]}]}""", "groups[0].first must be a whole number")]
    [InlineData("""{"groups":[{"stream":7,"first":1,"events":[{"payload":1}]}]}""", "groups[0].stream must be a text")]
    [InlineData("""{"groups":[{"first":1,"events":[{"payload":1}]}]}""", "groups[0] names no stream")]
    [InlineData("""{"groups":[{"stream":"a","events":[{"payload":1}]}]}""", "groups[0] names neither first nor expectedLast")]
    [InlineData(
        """{"groups":[{"stream":"a","first":1,"events":[{"payload":1,"tags":["x",null]}]}]}""",
        "groups[0].events[0].tags[1] must be a text"
    )]
    [InlineData("""{"groups":[{"stream":"a","first":1,"events":[{"payload":1,"serializer":2147483648}]}]}""", "serializer is 2147483648")]
    [InlineData("""{"groups":[{"stream":"\ud800","first":1,"events":[{"payload":1}]}]}""", "stream holds an escape")]
    [InlineData("""{"gr\ud800oups":[]}""", "A member of The append holds an escape")]
    [InlineData("""{"groups":[{"str\udc00eam":"a","first":1,"events":[{"payload":1}]}]}""", "A member of groups[0] holds an escape")]
    [InlineData(
        """{"groups":[{"stream":"a","first":1,"events":[{"\ud800payload":1}]}]}""",
        "A member of groups[0].events[0] holds an escape"
    )]
    public async Task A_body_that_breaks_a_rule_is_refused_with_the_place_and_nothing_is_stored(string body, string expected)
    {
        var answer = await _scene.SendAsync("POST", "/events", body: body);

        Assert.Equal(400, answer.Status);
        Assert.Contains(expected, answer.Json.GetProperty("Message").GetString(), StringComparison.Ordinal);
        Assert.Equal(0, _scene.Database.LastDurableEtag);
    }

    [Fact]
    public async Task Limits_are_named_where_they_are_passed()
    {
        var large = string.Join(',', Enumerable.Range(0, 30).Select(_ => $$"""{"payload":"{{new string('x', 4000)}}"}"""));
        var append = await _scene.SendAsync("POST", "/events", body: $$"""{"groups":[{"stream":"a","first":1,"events":[{{large}}]}]}""");
        Assert.Equal(413, append.Status);
        Assert.Contains("Limits.MaxAppendSizeInMb", append.Text, StringComparison.Ordinal);
        var groups = string.Join(',', Enumerable.Repeat("{}", 1000));
        Assert.Equal(413, (await _scene.SendAsync("POST", "/events", body: $$"""{"groups":[{{groups}}]}""")).Status);
        var tags = string.Join(',', Enumerable.Range(0, 1000));
        var tagged = await _scene.SendAsync(
            "POST",
            "/events",
            body: $$"""{"groups":[{"stream":"a","first":1,"events":[{"payload":1,"tags":["{{tags.Replace(",", "\",\"", StringComparison.Ordinal)}}"]}]}]}"""
        );
        Assert.Contains("groups[0].events[0] has more tags than the limit of 100", tagged.Text, StringComparison.Ordinal);
        var id = new string('x', 1001);
        Assert.Contains("1,000", (await GetAsync("/events", $"?stream={id}")).Text, StringComparison.Ordinal);
        var deletion = await _scene.SendAsync("DELETE", "/events", $"?stream={id}&to=1");
        Assert.Equal(400, deletion.Status);
        Assert.Equal(400, (await GetAsync("/events/tagged", "")).Status);
        Assert.Equal(400, (await GetAsync("/events", "")).Status);
        Assert.Equal(400, (await _scene.SendAsync("DELETE", "/events", "?stream=a")).Status);
        Assert.Contains(
            "101 tags",
            (await GetAsync("/events/tagged", "?" + string.Join('&', Enumerable.Repeat("tag=x", 101)))).Text,
            StringComparison.Ordinal
        );
    }

    [Fact]
    public async Task Long_answers_are_read_in_short_transactions_and_hold_every_event_once()
    {
        const int Events = 3000;
        for (var first = 1; first <= Events; first += 100)
        {
            var append = new AppendOperation(Limits.Default);
            var group = append.AddGroup();
            group.SetStream("a"u8);
            group.First = first;
            for (var i = 0; i < 100; i++)
                group.Add(new NewEvent { Payload = new byte[900], Tags = ["t"u8.ToArray()] });
            append.Complete();
            await _scene.Database.SubmitAsync(append);
        }
        await _scene.Database.SubmitAsync(new DeleteEventsOperation("a"u8, 1000));
        _scene.Clock.Step = TimeSpan.FromMilliseconds(10);
        var before = _scene.Database.ReadersEnded;

        var expected = string.Join(' ', Enumerable.Range(1001, 2000)) + " end";
        Assert.Equal(expected, await NumbersAsync("/events", "?stream=a&max=100000"));
        Assert.Equal(expected, await NumbersAsync("/events/all", "?max=100000"));
        Assert.Equal(expected, await NumbersAsync("/events/tagged", "?tag=t&max=100000"));

        Assert.True(_scene.Database.ReadersEnded - before > 30, "the answers were read in few transactions");
        Assert.InRange(_scene.Database.LongestRead, TimeSpan.Zero, Limits.Default.MaxReaderAge);
    }

    private async Task<string> NumbersAsync(string path, string query)
    {
        var answer = await GetAsync(path, query);
        Assert.Equal(200, answer.Status);
        var numbers = answer.Json.GetProperty("events").EnumerateArray().Select(e => e.GetProperty("number").GetRawText());
        return string.Join(' ', answer.Json.GetProperty("isEnd").GetBoolean() ? numbers.Append("end") : numbers);
    }

    private Task<ServedAnswer> GetAsync(string path, string query) => _scene.SendAsync("GET", path, query);

    private Task<JsonElement> AppendAsync(string stream, long number, string writer = "", string tag = "t") =>
        AppendAsync(
            string.Create(
                CultureInfo.InvariantCulture,
                $$"""{"groups":[{"stream":"{{stream}}","first":{{number}},"writer":"{{writer}}","events":[{"payload":{{number}},"ticks":{{number}},"tags":["{{tag}}"]}]}]}"""
            )
        );

    private async Task<JsonElement> AppendAsync(string body)
    {
        var answer = await _scene.SendAsync("POST", "/events", body: body);
        Assert.True(answer.Status == 200, answer.Text);
        return answer.Json;
    }
}
