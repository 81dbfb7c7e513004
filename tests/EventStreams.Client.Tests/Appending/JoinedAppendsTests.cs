using Jackdaw.EventStreams.Client.Appending;
using Jackdaw.EventStreams.Client.Tests.Serving;

namespace Jackdaw.EventStreams.Client.Tests.Appending;

/// <summary>Which appends go together in one request, in which order, and how many may wait.</summary>
public sealed class JoinedAppendsTests : IAsyncLifetime
{
    private readonly FakeServer _server = new();
    private EventStreamsClient _client = null!;

    public Task InitializeAsync()
    {
        _client = new EventStreamsClient(_server.Options);
        return Task.CompletedTask;
    }

    public async Task DisposeAsync()
    {
        await _client.DisposeAsync();
        await _server.DisposeAsync();
    }

    [Fact]
    public async Task Appends_that_come_while_a_request_is_under_way_go_together_in_the_next_one()
    {
        var first = Append("first", 1);
        var held = await _server.NextAsync();
        var others = Enumerable.Range(0, 50).Select(i => Append($"s{i}", 1)).ToArray();

        await held.AnswerAsync();
        var joined = await _server.NextAsync();
        await joined.AnswerAsync();

        await Task.WhenAll([first, .. others]);
        Assert.Equal(["first:1+1"], held.Groups);
        Assert.Equal(Enumerable.Range(0, 50).Select(i => $"s{i}:1+1"), joined.Groups);
        Assert.Equal(2, _server.Count);
    }

    [Fact]
    public async Task Appends_to_one_stream_are_sent_one_after_another_in_their_order()
    {
        Task[] appends = [.. Enumerable.Range(1, 4).Select(number => Append("a", number)), Append("b", 1)];
        List<string> sent = [];
        for (var i = 0; i < 4; i++)
        {
            var request = await _server.NextAsync();
            sent.Add(string.Join(' ', request.Groups));
            await request.AnswerAsync();
        }

        await Task.WhenAll(appends);
        // The other stream did not wait behind all of them.
        Assert.Equal(["a:1+1", "b:1+1 a:2+1", "a:3+1", "a:4+1"], sent);
    }

    [Fact]
    public async Task The_groups_of_one_append_go_in_one_request()
    {
        var append = _client.AppendAsync(new StreamAppend("a", [Appends.Group(1), Appends.Group(2, 3), Appends.Group(5)]), _client.Begin());
        var request = await _server.NextAsync();
        await request.AnswerAsync();

        Assert.Equal(3, (await append).Length);
        Assert.Equal(["a:1+1", "a:2+3", "a:5+1"], request.Groups);
    }

    [Fact]
    public async Task An_append_over_the_limit_of_a_request_is_sent_in_parts_that_keep_their_turn()
    {
        await using var client = new EventStreamsClient(_server.Options with { MaxAppendBytes = 1200 });
        var large = client.AppendAsync(
            new StreamAppend("a", [Appends.Group(1, payload: Text(500)), Appends.Group(2, payload: Text(500)), Appends.Group(3)]),
            client.Begin()
        );
        var later = client.AppendAsync(Appends.Of("a", 4), client.Begin());
        List<string> sent = [];
        while (sent.Count < 3)
        {
            var request = await _server.NextAsync();
            sent.Add(string.Join(' ', request.Groups));
            await request.AnswerAsync();
        }

        Assert.Equal(3, (await large).Length);
        await later;
        Assert.Equal(["a:1+1", "a:2+1 a:3+1", "a:4+1"], sent);
    }

    [Fact]
    public async Task A_request_joins_no_more_events_and_bytes_than_it_may()
    {
        await using var client = new EventStreamsClient(_server.Options with { MaxJoinedEvents = 3, MaxJoinedBytes = 3000 });
        Task<GroupResult[]> Start(string stream, int count, string payload = "{}") =>
            client.AppendAsync(Appends.Of(stream, 1, count, payload), client.Begin());
        Task[] appends = [Start("first", 1)];
        var held = await _server.NextAsync();
        appends = [.. appends, Start("a", 2), Start("b", 2), Start("c", 7), Start("d", 1, Text(2000)), Start("e", 1, Text(2000))];
        await held.AnswerAsync();
        List<string> sent = [];
        while (sent.Count < 5)
        {
            var request = await _server.NextAsync();
            sent.Add(string.Join(' ', request.Groups));
            await request.AnswerAsync();
        }

        await Task.WhenAll(appends);
        Assert.Equal(["a:1+2", "b:1+2", "c:1+7", "d:1+1", "e:1+1"], sent);
    }

    [Fact]
    public async Task What_is_queued_is_bounded_and_callers_wait_for_room_in_their_order()
    {
        await using var client = new EventStreamsClient(_server.Options with { MaxQueuedEvents = 10, MaxJoinedEvents = 4 });
        var appends = Enumerable.Range(0, 40).Select(i => client.AppendAsync(Appends.Of($"s{i:00}", 1), client.Begin())).ToArray();
        List<string> sent = [];
        while (sent.Count < 40)
        {
            var request = await _server.NextAsync();
            Assert.InRange(client.Queued.Events, 1, 10);
            sent.AddRange(request.Groups);
            await request.AnswerAsync();
        }

        await Task.WhenAll(appends);
        Assert.Equal(Enumerable.Range(0, 40).Select(i => $"s{i:00}:1+1").Order(), sent.Order());
        await Eventually.IsAsync(() => client.Queued == (0, 0));
    }

    [Fact]
    public async Task Several_requests_under_way_never_concern_the_same_stream()
    {
        await using var client = new EventStreamsClient(_server.Options with { MaxAppendRequests = 2 });
        var first = client.AppendAsync(Appends.Of("a", 1), client.Begin());
        var one = await _server.NextAsync();
        var second = client.AppendAsync(Appends.Of("a", 2), client.Begin());
        var other = client.AppendAsync(Appends.Of("b", 1), client.Begin());
        var two = await _server.NextAsync();
        await two.AnswerAsync();
        await other;
        Assert.Equal(["b:1+1"], two.Groups);
        Assert.False(second.IsCompleted);

        await one.AnswerAsync();
        var three = await _server.NextAsync();
        await three.AnswerAsync();
        await Task.WhenAll(first, second);
        Assert.Equal(["a:2+1"], three.Groups);
    }

    [Fact]
    public async Task The_highest_number_is_asked_for_when_the_appends_under_way_are_settled()
    {
        var append = Append("a", 1);
        var held = await _server.NextAsync();
        var highest = _client.HighestAsync("a", _client.Begin());
        var unconcerned = _client.HighestAsync("b", _client.Begin());
        await (await _server.NextAsync()).SendAsync(200, """{"highest":0,"deletedUpTo":0}""");
        Assert.Equal(0, (await unconcerned).Highest);
        Assert.Equal(2, _server.Count);

        await held.AnswerAsync();
        var asked = await _server.NextAsync();
        Assert.EndsWith("/events/highest", asked.Url.AbsolutePath, StringComparison.Ordinal);
        await asked.SendAsync(200, """{"highest":1,"deletedUpTo":0}""");

        Assert.Equal(1, (await highest).Highest);
        await append;
    }

    private static string Text(int length) => $"\"{new string('x', length)}\"";

    private Task<GroupResult[]> Append(string stream, long first) => _client.AppendAsync(Appends.Of(stream, first), _client.Begin());
}
