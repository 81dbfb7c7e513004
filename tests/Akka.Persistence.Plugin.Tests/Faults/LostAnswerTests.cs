using Akka.Actor;
using Jackdaw.Actors.Tests.Recorders;

namespace Jackdaw.Actors.Tests.Faults;

/// <summary>The server stores an event and dies before its answer arrives: the plug-in repeats, and the event is there once.</summary>
[Trait("Category", "Slow")]
public sealed class LostAnswerTests
{
    /// <summary>The server's start takes as long as the machine needs; the usual eight seconds are another test's.</summary>
    private const string Patient = """
        akka.persistence.journal.jackdaw.repeat-for = 110s
        akka.persistence.journal.jackdaw.circuit-breaker.call-timeout = 120s
        """;

    [Fact]
    public async Task An_event_whose_acknowledgement_died_with_the_server_is_stored_once()
    {
        await using var server = await FaultyServer.StartAsync();
        await using var host = new ActorHost(PluginConfig.For(server.Url, FaultyServer.Database, Patient));
        var recorder = host.Recorder("one");
        await recorder.Ask<Written>(new Write("first"), Eventually.Patience);

        server.Proxy.SwallowAnswers = true;
        var second = recorder.Ask<Written>(new Write("second"), Eventually.Patience);
        // The server answers what is durable.
        await Eventually.IsAsync(() => server.Proxy.HasSwallowed);
        await server.KillAsync();
        server.Proxy.SwallowAnswers = false;
        server.Proxy.CutAll();
        await server.RestartAsync();

        Assert.Equal(new Written(2, "second"), await second);
        Assert.Equal(3, (await recorder.Ask<Written>(new Write("third"), Eventually.Patience)).Number);
        await using var afterwards = new ActorHost(PluginConfig.For(server.DirectUrl, FaultyServer.Database));
        Assert.Equal(["first", "second", "third"], (await afterwards.RecoverAsync("one")).All);
    }

    [Fact]
    public async Task Events_that_are_stored_together_stay_together_when_their_acknowledgement_is_lost()
    {
        await using var server = await FaultyServer.StartAsync();
        await using var host = new ActorHost(PluginConfig.For(server.Url, FaultyServer.Database, Patient));
        var recorder = host.Recorder("one");
        await recorder.Ask<Written>(new Write("0"), Eventually.Patience);

        server.Proxy.SwallowAnswers = true;
        string[] texts = [.. Enumerable.Range(1, 50).Select(i => $"{i}")];
        recorder.Tell(new WriteTogether(texts));
        await Eventually.IsAsync(() => server.Proxy.HasSwallowed);
        await server.KillAsync();
        server.Proxy.SwallowAnswers = false;
        server.Proxy.CutAll();
        await server.RestartAsync();

        var held = await recorder.Ask<Texts>(new GetTexts(), Eventually.Patience);
        Assert.Equal(["0", .. texts], held.All);
        Assert.Equal(51, held.Number);
        await using var afterwards = new ActorHost(PluginConfig.For(server.DirectUrl, FaultyServer.Database));
        Assert.Equal(["0", .. texts], (await afterwards.RecoverAsync("one")).All);
    }
}
