using Akka.Actor;
using Jackdaw.Actors.Tests.Recorders;

namespace Jackdaw.Actors.Tests.Faults;

/// <summary>A request of an actor's earlier life that reaches the server late: after the actor was started again.</summary>
[Trait("Category", "Slow")]
public sealed class HeldRequestTests
{
    [Fact]
    public async Task A_request_that_is_released_after_the_actor_has_moved_and_written_on_is_not_stored()
    {
        await using var server = await FaultyServer.StartAsync();
        await using (var first = new ActorHost(PluginConfig.For(server.Url, FaultyServer.Database)))
        {
            var recorder = first.Recorder("one");
            await recorder.Ask<Written>(new Write("first"), Eventually.Patience);
            // A rejection uses a number up, so that of the held request is free whatever is written meanwhile: only its writer tells.
            await recorder.Ask<Rejected>(Recorder.TooLarge, Eventually.Patience);
            server.Proxy.HeldBeginning = "POST ";
            recorder.Tell(new Write("held"));
            await Eventually.IsAsync(() => server.Proxy.HeldRequests > 0);
        }
        await using var second = new ActorHost(PluginConfig.For(server.DirectUrl, FaultyServer.Database));
        var moved = second.Recorder("one");
        Assert.Equal(["first"], (await moved.Ask<Texts>(new GetTexts(), Eventually.Patience)).All);
        Assert.Equal(2, (await moved.Ask<Written>(new Write("second"), Eventually.Patience)).Number);

        var before = server.Proxy.BytesToServer;
        server.Proxy.HeldBeginning = null;
        await Eventually.IsAsync(() => server.Proxy.BytesToServer > before && server.Proxy.HeldRequests == 0);

        Assert.Equal(3, (await moved.Ask<Written>(new Write("third"), Eventually.Patience)).Number);
        await using var afterwards = new ActorHost(PluginConfig.For(server.DirectUrl, FaultyServer.Database));
        Assert.Equal(["first", "second", "third"], (await afterwards.RecoverAsync("one")).All);
    }

    [Fact]
    public async Task A_request_that_is_released_while_its_actor_starts_again_leaves_one_history()
    {
        // The plug-in gives up soon, so that the actor stops and starts again while its request is held.
        const string Impatient = """
            akka.persistence.journal.jackdaw.repeat-for = 1s
            akka.persistence.journal.jackdaw.circuit-breaker.call-timeout = 2s
            akka.persistence.journal.jackdaw.circuit-breaker.reset-timeout = 1s
            """;
        await using var server = await FaultyServer.StartAsync();
        await using var host = new ActorHost(PluginConfig.For(server.Url, FaultyServer.Database, Impatient));
        var writer = new InsistentWriter(host.SupervisedRecorder("one"));
        await writer.WriteAsync(2);
        for (var round = 0; round < 5; round++)
        {
            server.Proxy.HeldBeginning = "POST ";
            var writing = writer.WriteAsync(2);
            await Eventually.IsAsync(() => server.Proxy.HeldRequests > 0);
            var attempts = writer.Attempts;
            // The actor has failed, and is asked again.
            await Eventually.IsAsync(() => writer.Attempts > attempts);
            server.Proxy.HeldBeginning = null;
            await writing;
        }
        await using var afterwards = new ActorHost(PluginConfig.For(server.DirectUrl, FaultyServer.Database));
        writer.Verify(await afterwards.RecoverAsync("one"));
    }
}
