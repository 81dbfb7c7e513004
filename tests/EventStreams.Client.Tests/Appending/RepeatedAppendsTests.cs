using System.Text;
using Jackdaw.EventStreams.Client.Appending;
using Jackdaw.EventStreams.Client.Errors;
using Jackdaw.EventStreams.Client.Tests.Serving;

namespace Jackdaw.EventStreams.Client.Tests.Appending;

/// <summary>What is repeated, for how long, and with which error it ends.</summary>
public sealed class RepeatedAppendsTests : IAsyncLifetime
{
    private readonly FakeServer _server = new();
    private readonly ManualClock _clock = new();
    private EventStreamsClient _client = null!;

    public Task InitializeAsync()
    {
        _client = new EventStreamsClient(_server.Options with { Clock = _clock });
        return Task.CompletedTask;
    }

    public async Task DisposeAsync()
    {
        await _client.DisposeAsync();
        await _server.DisposeAsync();
    }

    [Fact]
    public async Task A_lost_answer_and_errors_of_the_server_are_followed_by_the_same_request()
    {
        var append = Append("a");
        var first = await _server.NextAsync();
        first.Cut();
        foreach (var status in (int[])[500, 503, 507, 408, 429])
        {
            var again = await _server.NextAsync();
            Assert.Equal(first.Body, again.Body);
            await again.FailAsync(status);
        }
        var last = await _server.NextAsync();
        Assert.Equal(first.Body, last.Body);
        await last.AnswerAsync();

        Assert.Equal(AppendOutcome.Stored, Assert.Single(await append).Outcome);
    }

    [Theory]
    [InlineData(400)]
    [InlineData(403)]
    [InlineData(404)]
    [InlineData(501)]
    public async Task What_the_server_refuses_is_not_repeated(int status)
    {
        var append = Append("a");
        await (await _server.NextAsync()).FailAsync(status);

        var refused = await Assert.ThrowsAsync<RequestRefusedException>(() => append);
        Assert.Equal(status, (int)refused.Status);
        Assert.Contains($"status {status}", refused.Message, StringComparison.Ordinal);
        Assert.Equal(1, _server.Count);
    }

    [Fact]
    public async Task An_append_that_spoils_a_request_for_others_fails_alone()
    {
        var first = Append("first");
        var held = await _server.NextAsync();
        var (good, bad, better) = (Append("good"), Append("bad"), Append("better"));
        await held.AnswerAsync();
        var joined = await _server.NextAsync();
        Assert.Equal(3, joined.Groups.Length);
        await joined.FailAsync(400);
        for (var i = 0; i < 3; i++)
        {
            var alone = await _server.NextAsync();
            await (Assert.Single(alone.Groups).StartsWith("bad", StringComparison.Ordinal) ? alone.FailAsync(400) : alone.AnswerAsync());
        }

        await Task.WhenAll(first, good, better);
        await Assert.ThrowsAsync<RequestRefusedException>(() => bad);
    }

    [Fact]
    public async Task An_append_is_repeated_until_eight_seconds_have_passed_since_it_began_and_then_fails()
    {
        var append = Append("a");
        await (await _server.NextAsync()).FailAsync(503);
        _clock.Advance(TimeSpan.FromSeconds(7.9));
        for (var i = 0; i < 3; i++)
            await (await _server.NextAsync()).FailAsync(503);
        Assert.False(append.IsCompleted);
        _clock.Advance(TimeSpan.FromSeconds(0.2));
        // One may be on its way.
        var rest = AnswerAllAsync(503);

        var unavailable = await Assert.ThrowsAsync<ServerUnavailableException>(() => append);
        Assert.True(unavailable.IsOutcomeUnknown);
        Assert.Contains("within 8 s", unavailable.Message, StringComparison.Ordinal);
        Assert.Contains("status 503", unavailable.Message, StringComparison.Ordinal);
        await _server.DisposeAsync();
        await rest;
    }

    [Fact]
    public async Task Time_before_the_call_and_in_the_queue_counts()
    {
        var began = _client.Begin();
        var first = Append("first");
        var held = await _server.NextAsync();
        _clock.Advance(TimeSpan.FromSeconds(8.1));
        var late = _client.AppendAsync(Appends.Of("late", 1), began);

        var unavailable = await Assert.ThrowsAsync<ServerUnavailableException>(() => late);
        Assert.False(unavailable.IsOutcomeUnknown);
        await held.AnswerAsync();
        await first;
        Assert.Equal(1, _server.Count);
    }

    [Fact]
    public async Task What_was_given_up_is_not_sent_again()
    {
        var began = _client.Begin();
        var first = Append("first");
        var held = await _server.NextAsync();
        _clock.Advance(TimeSpan.FromSeconds(5));
        var (old, young) = (_client.AppendAsync(Appends.Of("old", 1), began), Append("young"));
        await held.AnswerAsync();
        await first;
        var joined = await _server.NextAsync();
        Assert.Equal(["old:1+1", "young:1+1"], joined.Groups);
        _clock.Advance(TimeSpan.FromSeconds(4));
        await joined.FailAsync(503);
        var again = await _server.NextAsync();
        await again.AnswerAsync();

        Assert.Equal(["young:1+1"], again.Groups);
        await young;
        Assert.True((await Assert.ThrowsAsync<ServerUnavailableException>(() => old)).IsOutcomeUnknown);
    }

    [Fact]
    public async Task A_server_that_cannot_be_reached_fails_the_call_when_its_time_is_over()
    {
        await using var client = new EventStreamsClient(
            new EventStreamsClientOptions
            {
                Url = new Uri($"http://127.0.0.1:{Brokers.LoopbackPort.Find()}"),
                Database = "db",
                RepeatFor = TimeSpan.FromMilliseconds(200),
            }
        );
        var unavailable = await Assert.ThrowsAsync<ServerUnavailableException>(() =>
            client.AppendAsync(Appends.Of("a", 1), client.Begin())
        );
        Assert.IsType<HttpRequestException>(unavailable.InnerException);
        await Assert.ThrowsAsync<ServerUnavailableException>(() => client.HighestAsync("a", client.Begin()));
        await Assert.ThrowsAsync<ServerUnavailableException>(() => client.ReadAllAsync(0, long.MaxValue, 10));
    }

    [Fact]
    public async Task A_connection_that_says_nothing_is_given_up_and_another_one_tried()
    {
        await using var client = new EventStreamsClient(_server.Options with { AttemptTimeout = TimeSpan.FromMilliseconds(100) });
        var append = client.AppendAsync(Appends.Of("a", 1), client.Begin());
        var silent = await _server.NextAsync();
        var again = await _server.NextAsync();
        Assert.Equal(silent.Body, again.Body);
        await again.AnswerAsync();
        await append;
    }

    [Fact]
    public async Task An_append_can_be_cancelled_until_it_is_sent()
    {
        using var cancel = new CancellationTokenSource();
        var first = _client.AppendAsync(Appends.Of("first", 1), _client.Begin(), cancel.Token);
        var held = await _server.NextAsync();
        var waiting = _client.AppendAsync(Appends.Of("waiting", 1), _client.Begin(), cancel.Token);

        await cancel.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
        Assert.False(first.IsCompleted);
        await held.AnswerAsync();
        Assert.Equal(AppendOutcome.Stored, Assert.Single(await first).Outcome);
        Assert.Equal(1, _server.Count);
    }

    [Fact]
    public async Task An_append_that_was_cancelled_after_it_was_sent_is_not_sent_again()
    {
        using var cancel = new CancellationTokenSource();
        var append = _client.AppendAsync(Appends.Of("a", 1), _client.Begin(), cancel.Token);
        var held = await _server.NextAsync();
        await cancel.CancelAsync();
        await held.FailAsync(503);

        Assert.True((await Assert.ThrowsAsync<ServerUnavailableException>(() => append)).IsOutcomeUnknown);
        Assert.Equal(1, _server.Count);
    }

    [Fact]
    public async Task Another_database_under_the_name_fails_calls()
    {
        var append = Append("a");
        await (await _server.NextAsync()).AnswerAsync();
        await append;
        var second = Append("a", 2);
        var request = await _server.NextAsync();
        Assert.Contains("databaseId=" + Uri.EscapeDataString(FakeServer.DatabaseId), request.Url.Query, StringComparison.Ordinal);
        await request.FailAsync(412);
        await Assert.ThrowsAsync<DatabaseChangedException>(() => second);

        var third = Append("a", 2);
        await (await _server.NextAsync()).SendAsync(
            200,
            """{"databaseId":"another","groups":[{"outcome":"stored","highest":2,"lastPosition":2}]}"""
        );
        await Assert.ThrowsAsync<DatabaseChangedException>(() => third);
    }

    [Theory]
    [InlineData("<html>Welcome</html>")]
    [InlineData("{}")]
    [InlineData("""{"databaseId":"x","groups":[]}""")]
    [InlineData("""{"databaseId":"x","groups":[{"outcome":"perhaps"}]}""")]
    public async Task An_answer_of_something_else_is_an_error_of_its_own(string text)
    {
        var append = Append("a");
        await (await _server.NextAsync()).SendAsync(200, text);
        await Assert.ThrowsAsync<UnexpectedAnswerException>(() => append);
    }

    [Fact]
    public async Task What_breaks_a_rule_is_refused_before_anything_is_sent()
    {
        await using var client = new EventStreamsClient(_server.Options with { MaxEventBytes = 10, MaxAppendBytes = 2000 });
        (string Stream, EventGroup Group, string Message)[] bad =
        [
            ("", Appends.Group(1), "1 to 1,000 bytes"),
            (new string('x', 1001), Appends.Group(1), "1,001 bytes; the limit is 1,000"),
            ("half \ud800", Appends.Group(1), "no valid text"),
            ("a", Appends.Group(0), "begins with number 0"),
            ("a", Appends.Group(long.MaxValue, 2), "begins with number"),
            ("a", Appends.Group(1, payload: "\"0123456789\""), "has 12 bytes; the limit is 10 bytes (Limits.MaxEventSizeInMb"),
            ("a", Appends.Group(1, 20), "the limit is 2,000 bytes (Limits.MaxAppendSizeInMb"),
            ("a", Tagged([""]), "is empty"),
            ("a", Tagged([.. Enumerable.Range(0, 1000).Select(i => $"{i}")]), "1,000 tags; the limit is 100"),
        ];
        foreach (var (stream, group, message) in bad)
        {
            var invalid = await Assert.ThrowsAsync<InvalidAppendException>(() =>
                client.AppendAsync(new StreamAppend(stream, [group]), client.Begin())
            );
            Assert.Contains(message, invalid.Message, StringComparison.Ordinal);
        }
        Assert.Equal(0, _server.Count);

        static EventGroup Tagged(string[] tags) =>
            new()
            {
                First = 1,
                Events =
                [
                    new NewEvent
                    {
                        Payload = Encoding.UTF8.GetBytes("1"),
                        Ticks = 1,
                        Tags = tags,
                    },
                ],
            };
    }

    [Fact]
    public async Task Calls_after_the_end_and_calls_under_way_fail_when_the_client_is_disposed()
    {
        var first = Append("first");
        await _server.NextAsync();
        var second = Append("second");

        await _client.DisposeAsync();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => first);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => second);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Append("third"));
    }

    private Task<GroupResult[]> Append(string stream, long first = 1) => _client.AppendAsync(Appends.Of(stream, first), _client.Begin());

    private async Task AnswerAllAsync(int status)
    {
        using var patience = new CancellationTokenSource(TimeSpan.FromSeconds(2));
        try
        {
            while (true)
                await (await _server.NextAsync().WaitAsync(patience.Token)).FailAsync(status);
        }
        catch (OperationCanceledException)
        {
            // No more come.
        }
    }
}
