using Akka.Actor;
using Jackdaw.Actors.Tests.Recorders;
using Jackdaw.Brokers;

namespace Jackdaw.Actors.Tests.Faults;

/// <summary>A server that is not there: when the actors start, or for longer than calls are repeated.</summary>
public sealed class AbsentServerTests
{
    [Fact]
    [Trait("Category", "Slow")]
    public async Task Actors_that_start_before_the_server_wait_for_it()
    {
        await using var server = await FaultyServer.StartAsync();
        server.Proxy.Mode = ProxyMode.Refuse;
        await using var host = new ActorHost(PluginConfig.For(server.Url, FaultyServer.Database));
        IActorRef[] recorders = [.. Enumerable.Range(0, 20).Select(i => host.Recorder($"{i}"))];
        Task<Written>[] written = [.. recorders.Select(recorder => recorder.Ask<Written>(new Write("early"), Eventually.Patience))];
        // Well below the 30 seconds after which an actor gives up its recovery, and above what an attempt takes.
        await Task.Delay(TimeSpan.FromSeconds(9));
        Assert.DoesNotContain(written, task => task.IsCompleted);
        server.Proxy.Mode = ProxyMode.Pass;
        Assert.All(await Task.WhenAll(written), one => Assert.Equal(1, one.Number));
    }

    [Fact]
    [Trait("Category", "Long")]
    public async Task A_server_that_is_away_for_a_minute_fails_actors_and_loses_nothing()
    {
        await using var server = await FaultyServer.StartAsync();
        await using var host = new ActorHost(PluginConfig.For(server.Url, FaultyServer.Database));
        InsistentWriter[] writers = [.. Enumerable.Range(0, 20).Select(i => new InsistentWriter(host.SupervisedRecorder($"{i}")))];
        await Task.WhenAll(writers.Select(writer => writer.WriteAsync(3)));
        await server.KillAsync();
        Task[] writing = [.. writers.Select(writer => writer.WriteAsync(3))];
        await Task.Delay(TimeSpan.FromMinutes(1));
        await server.RestartAsync();
        await Task.WhenAll(writing);
        await using var afterwards = new ActorHost(PluginConfig.For(server.DirectUrl, FaultyServer.Database));
        for (var i = 0; i < writers.Length; i++)
            writers[i].Verify(await afterwards.RecoverAsync($"{i}"));
    }
}
