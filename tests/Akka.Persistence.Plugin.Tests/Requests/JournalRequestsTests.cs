using Akka.Actor;
using Akka.Persistence;
using Jackdaw.EventStreams.Client.Tests.Serving;

namespace Jackdaw.Actors.Tests.Requests;

/// <summary>What the journal asks of its server, and when. The server is the test.</summary>
public sealed class JournalRequestsTests : IAsyncLifetime
{
    private const string Highest = "/databases/Actors/events/highest";
    private readonly FakeServer _server = new();
    private ActorHost _host = null!;
    private IActorRef _journal = ActorRefs.Nobody;

    public async Task InitializeAsync()
    {
        const string More = """
            akka.persistence.journal.jackdaw.auto-initialize = off
            akka.persistence.journal.jackdaw.attempt-timeout = 2m
            akka.persistence.journal.jackdaw.replay-filter.mode = off
            akka.actor.serializers.gated = "Jackdaw.Actors.Tests.Requests.GatedSerializer, Jackdaw.Akka.Persistence.Plugin.Tests"
            akka.actor.serialization-bindings {
              "Jackdaw.Actors.Tests.Requests.GatedEvent, Jackdaw.Akka.Persistence.Plugin.Tests" = gated
            }
            """;
        _host = new ActorHost(PluginConfig.For(_server.Url.ToString(), "Actors", More));
        _journal = Persistence.Instance.Apply(_host.System).JournalFor("");
        var first = await _server.NextAsync();
        Assert.EndsWith("/events/streams", first.Url.AbsolutePath, StringComparison.Ordinal);
        await first.SendAsync(200, $$"""{"databaseId":"{{FakeServer.DatabaseId}}","streams":[],"next":0,"isEnd":true}""");
    }

    public async Task DisposeAsync()
    {
        await _host.DisposeAsync();
        await _server.DisposeAsync();
    }

    [Fact]
    public async Task The_highest_number_is_asked_for_when_writes_of_the_id_are_settled_and_others_do_not_wait()
    {
        using var gate = new ManualResetEventSlim();
        using var inbox = Inbox.Create(_host.System);
        Write(inbox, "slow", new GatedEvent(gate));
        Replay(inbox, "slow");
        Replay(inbox, "other");

        var other = await _server.NextAsync();
        Assert.Equal((Highest, true), (other.Url.AbsolutePath, other.Url.Query.Contains("stream=other", StringComparison.Ordinal)));
        await other.SendAsync(200, """{"highest":0,"deletedUpTo":0}""");
        Assert.IsType<RecoverySuccess>(await inbox.ReceiveAsync(Eventually.Patience));
        Assert.Equal(2, _server.Count);

        gate.Set();
        var append = await _server.NextAsync();
        Assert.Equal("POST", append.Method);
        await append.AnswerAsync();
        var slow = await _server.NextAsync();
        Assert.Equal((Highest, true), (slow.Url.AbsolutePath, slow.Url.Query.Contains("stream=slow", StringComparison.Ordinal)));
        await slow.SendAsync(200, """{"highest":0,"deletedUpTo":0}""");
    }

    [Fact]
    public async Task Atomic_writes_of_one_call_go_in_one_request_without_the_ones_that_cannot_be_stored()
    {
        using var inbox = Inbox.Create(_host.System);
        Write(inbox, "a", "first", new string('x', 17 << 20), "third");

        var append = await _server.NextAsync();
        Assert.Equal(["a:1+1", "a:3+1"], append.Groups);
        await append.AnswerAsync();

        Assert.IsType<WriteMessagesSuccessful>(await inbox.ReceiveAsync(Eventually.Patience));
        Assert.IsType<WriteMessageSuccess>(await inbox.ReceiveAsync(Eventually.Patience));
        var rejected = Assert.IsType<WriteMessageRejected>(await inbox.ReceiveAsync(Eventually.Patience));
        Assert.Contains("16 MB", rejected.Cause.Message, StringComparison.Ordinal);
        Assert.IsType<WriteMessageSuccess>(await inbox.ReceiveAsync(Eventually.Patience));
    }

    [Theory]
    [InlineData("duplicate")]
    [InlineData("conflict")]
    [InlineData("fenced")]
    public async Task A_number_that_is_taken_is_a_failure_of_the_whole_call_and_no_rejection(string outcome)
    {
        using var inbox = Inbox.Create(_host.System);
        Write(inbox, "a", "first", "second");
        var append = await _server.NextAsync();
        var group = $$"""{"outcome":"{{outcome}}","highest":7}""";
        await append.SendAsync(200, $$"""{"databaseId":"{{FakeServer.DatabaseId}}","groups":[{{group}},{{group}}]}""");

        Assert.IsType<WriteMessagesFailed>(await inbox.ReceiveAsync(Eventually.Patience));
        Assert.IsType<WriteMessageFailure>(await inbox.ReceiveAsync(Eventually.Patience));
        Assert.IsType<WriteMessageFailure>(await inbox.ReceiveAsync(Eventually.Patience));
    }

    [Fact]
    public async Task A_long_replay_is_in_order_and_ends_at_the_event_that_cannot_be_deserialised()
    {
        const int Bad = 700;
        using var inbox = Inbox.Create(_host.System);
        Replay(inbox, "long");
        await (await _server.NextAsync()).SendAsync(200, """{"highest":900,"deletedUpTo":0}""");
        await (await _server.NextAsync()).SendAsync(200, Head + Events(1, 900, Bad) + "],\"isEnd\":true}");

        for (var number = 1; number < Bad; number++)
        {
            var replayed = Assert.IsType<ReplayedMessage>(await inbox.ReceiveAsync(Eventually.Patience)).Persistent;
            Assert.Equal((number, $"text {number}"), (replayed.SequenceNr, replayed.Payload));
        }
        var failure = Assert.IsType<ReplayMessagesFailure>(await inbox.ReceiveAsync(Eventually.Patience));
        Assert.StartsWith($"Event {Bad} of 'long' cannot be deserialised", failure.Cause.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_replay_hands_over_what_has_arrived_while_the_rest_does_not_come()
    {
        using var inbox = Inbox.Create(_host.System);
        Replay(inbox, "slow");
        await (await _server.NextAsync()).SendAsync(200, """{"highest":900,"deletedUpTo":0}""");
        await (await _server.NextAsync()).BeginAsync(200, Head + Events(1, 300), missing: 1_000_000);

        for (var number = 1; number <= 300; number++)
            Assert.Equal(number, Assert.IsType<ReplayedMessage>(await inbox.ReceiveAsync(Eventually.Patience)).Persistent.SequenceNr);
    }

    private const string Head = "{\"databaseId\":\"" + FakeServer.DatabaseId + "\",\"durable\":900,\"events\":[";

    /// <summary>Texts as the server answers with them; one of them of a serializer that no actor system here has.</summary>
    private string Events(int first, int last, int bad = 0)
    {
        var serialization = _host.System.Serialization;
        var serializer = serialization.FindSerializerFor("");
        var manifest = Akka.Serialization.Serialization.ManifestFor(serializer, "");
        return string.Join(
            ',',
            Enumerable
                .Range(first, last - first + 1)
                .Select(n =>
                    $$"""{"position":{{n}},"stream":"long","number":{{n}},"ticks":"{{n}}","serializer":{{(
                        n == bad ? 987654 : serializer.Identifier
                    )}},"manifest":"{{manifest}}","payloadBase64":"{{Convert.ToBase64String(serializer.ToBinary($"text {n}"))}}"}"""
                )
        );
    }

    private void Write(Inbox inbox, string id, params object[] events) =>
        _journal.Tell(
            new WriteMessages(
                events.Select((payload, i) => new AtomicWrite(new Persistent(payload, i + 1, id, sender: inbox.Receiver, writerGuid: "w"))),
                inbox.Receiver,
                1
            ),
            inbox.Receiver
        );

    private void Replay(Inbox inbox, string id) =>
        _journal.Tell(new ReplayMessages(1, long.MaxValue, long.MaxValue, id, inbox.Receiver), inbox.Receiver);
}
