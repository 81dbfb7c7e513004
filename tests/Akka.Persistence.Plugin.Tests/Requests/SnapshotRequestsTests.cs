using System.Globalization;
using Akka.Actor;
using Akka.Persistence;
using Jackdaw.EventStreams.Client.Tests.Serving;

namespace Jackdaw.Actors.Tests.Requests;

/// <summary>What the snapshot store asks of its server, and in which order. The server is the test.</summary>
public sealed class SnapshotRequestsTests : IAsyncLifetime
{
    private static readonly DateTime Time = new(638_000_000_000_000_001, DateTimeKind.Utc);
    private readonly FakeServer _server = new();
    private ActorHost _host = null!;
    private IActorRef _store = ActorRefs.Nobody;

    public async Task InitializeAsync()
    {
        const string More = """
            akka.persistence.snapshot-store.jackdaw.auto-initialize = off
            akka.persistence.snapshot-store.jackdaw.repeat-for = 2m
            akka.persistence.snapshot-store.jackdaw.circuit-breaker.call-timeout = 4m
            """;
        _host = new ActorHost(PluginConfig.For(_server.Url.ToString(), "Actors", More));
        _store = Persistence.Instance.Apply(_host.System).SnapshotStoreFor("");
        var first = await _server.NextAsync();
        await first.SendAsync(200, $$"""{"databaseId":"{{FakeServer.DatabaseId}}","streams":[],"next":0,"isEnd":true}""");
    }

    public async Task DisposeAsync()
    {
        await _host.DisposeAsync();
        await _server.DisposeAsync();
    }

    [Fact]
    public async Task After_a_failed_save_only_what_it_may_have_stored_is_deleted()
    {
        using var inbox = Inbox.Create(_host.System);
        var metadata = new SnapshotMetadata("a", 7, Time);
        _store.Tell(new SaveSnapshot(metadata, "state"), inbox.Receiver);
        await (await _server.NextAsync()).FailAsync(400);

        var guarded = await _server.NextAsync();
        Assert.Equal("DELETE", guarded.Method);
        Assert.EndsWith($"&stream=a&number=7&ticks={Time.Ticks}", guarded.Url.Query, StringComparison.Ordinal);
        await guarded.SendAsync(200, """{"deleted":0}""");
        Assert.IsType<SaveSnapshotFailure>(await inbox.ReceiveAsync(Eventually.Patience));

        // A user's deletion takes whatever is as old as that.
        _store.Tell(new DeleteSnapshot(metadata), inbox.Receiver);
        var wanted = await _server.NextAsync();
        Assert.EndsWith($"&stream=a&number=7&maxTicks={Time.Ticks}", wanted.Url.Query, StringComparison.Ordinal);
        await wanted.SendAsync(200, """{"deleted":1}""");
        Assert.IsType<DeleteSnapshotSuccess>(await inbox.ReceiveAsync(Eventually.Patience));
    }

    [Fact]
    public async Task Saves_and_deletions_of_one_id_take_turns_in_their_order_and_other_ids_do_not_wait()
    {
        using var inbox = Inbox.Create(_host.System);
        for (var i = 0; i < 3; i++)
            _store.Tell(new SaveSnapshot(new SnapshotMetadata("a", 1, Time.AddTicks(i)), $"state {i}"), inbox.Receiver);
        _store.Tell(new DeleteSnapshots("a", new SnapshotSelectionCriteria(0)), inbox.Receiver);
        var held = await _server.NextAsync();
        _store.Tell(new SaveSnapshot(new SnapshotMetadata("b", 1, Time), "state"), inbox.Receiver);
        var other = await _server.NextAsync();
        Assert.Contains("stream=b", other.Url.Query, StringComparison.Ordinal);
        await other.SendAsync(201, "");

        Assert.Contains(Ticks(0), held.Url.Query, StringComparison.Ordinal);
        await held.SendAsync(201, "");
        for (var i = 1; i < 3; i++)
        {
            var next = await _server.NextAsync();
            Assert.Contains(Ticks(i), next.Url.Query, StringComparison.Ordinal);
            await next.SendAsync(201, "");
        }
        var deletion = await _server.NextAsync();
        Assert.Equal("DELETE", deletion.Method);
        await deletion.SendAsync(200, """{"deleted":0}""");
    }

    private static string Ticks(int i) => string.Create(CultureInfo.InvariantCulture, $"ticks={Time.Ticks + i}&");
}
