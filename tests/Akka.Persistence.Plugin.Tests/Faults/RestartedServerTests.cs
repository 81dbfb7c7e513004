using System.Diagnostics;
using Akka.Actor;
using Jackdaw.Actors.Tests.Recorders;

namespace Jackdaw.Actors.Tests.Faults;

/// <summary>A server that is killed and is back within five seconds stops no actor, with the settings that everybody has.</summary>
[Trait("Category", "Slow")]
public sealed class RestartedServerTests
{
    private const int Actors = 100;

    /// <summary>A machine under load may need longer than five seconds to start the server: such a round says nothing.</summary>
    private const int MaxRounds = 6;

    [Fact]
    public async Task A_server_that_is_killed_and_back_within_five_seconds_stops_none_of_a_hundred_actors()
    {
        await using var server = await FaultyServer.StartAsync();
        for (var round = 0; round < MaxRounds; round++)
        {
            await using var host = new ActorHost(PluginConfig.For(server.Url, FaultyServer.Database));
            if (await IsBackInTimeAsync(server, host, round))
                return;
        }
        Assert.Fail($"The server was never back within five seconds, in {MaxRounds} rounds: this machine is too slow for the test.");
    }

    private static async Task<bool> IsBackInTimeAsync(FaultyServer server, ActorHost host, int round)
    {
        string[] ids = [.. Enumerable.Range(0, Actors).Select(i => $"{round}-{i}")];
        IActorRef[] recorders = [.. ids.Select(host.Recorder)];
        using var stop = new CancellationTokenSource();
        var stored = new int[Actors];
        Task[] writing =
        [
            .. recorders.Select((recorder, i) => WriteAsync(recorder, count => Volatile.Write(ref stored[i], count), stop.Token)),
        ];
        await Eventually.IsAsync(() => stored.All(count => count >= 3));

        long killed = Stopwatch.GetTimestamp();
        await server.KillAsync();
        await server.RestartAsync();
        var away = Stopwatch.GetElapsedTime(killed);
        if (away > TimeSpan.FromSeconds(5))
        {
            await stop.CancelAsync();
            await Task.WhenAll(writing.Select(task => task.ContinueWith(_ => { }, TaskScheduler.Default)));
            return false;
        }
        int[] before = [.. stored];
        // A recorder that stopped would not go on.
        await Eventually.IsAsync(() =>
            stored.Zip(before).All(pair => pair.First >= pair.Second + 3) || writing.Any(task => task.IsCompleted)
        );
        await stop.CancelAsync();
        await Task.WhenAll(writing);

        await using var afterwards = new ActorHost(PluginConfig.For(server.DirectUrl, FaultyServer.Database));
        for (var i = 0; i < Actors; i++)
            Assert.Equal(Enumerable.Range(1, stored[i]).Select(n => $"{n}"), (await afterwards.RecoverAsync(ids[i])).All);
        return true;
    }

    private static async Task WriteAsync(IActorRef recorder, Action<int> stored, CancellationToken stop)
    {
        var stopped = recorder.WatchAsync(CancellationToken.None);
        for (var n = 1; !stop.IsCancellationRequested; n++)
        {
            var written = recorder.Ask<Written>(new Write($"{n}"), Eventually.Patience, CancellationToken.None);
            Assert.True(await Task.WhenAny(written, stopped) == written, $"A recorder stopped at its event {n}.");
            Assert.Equal(new Written(n, $"{n}"), await written);
            stored(n);
        }
    }
}
