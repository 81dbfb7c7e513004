using System.Diagnostics;
using Jackdaw.Brokers;
using Jackdaw.Etl.RabbitMq;
using Xunit;

namespace Jackdaw.Etl.Tests.RabbitMq;

/// <summary>A database, a task to a real broker, and a consumer of it.</summary>
internal sealed class RabbitScene : IAsyncDisposable
{
    private RabbitScene(RabbitBroker broker, Scene scene, RabbitPeer peer)
    {
        Broker = broker;
        Scene = scene;
        Peer = peer;
    }

    public RabbitBroker Broker { get; }

    public Scene Scene { get; }

    public RabbitPeer Peer { get; private set; }

    /// <summary>A name that no other test has.</summary>
    public string Target { get; } = $"orders-{Guid.NewGuid():N}";

    public EtlTaskState State => Scene.Task.State;

    public string Reason => Scene.Task.Status().Reason ?? "";

    public static async Task<RabbitScene> OpenAsync(RabbitFixture fixture)
    {
        var broker = await fixture.BrokerAsync();
        return new RabbitScene(broker, await Scene.OpenAsync(), await RabbitPeer.ConnectAsync(broker));
    }

    /// <summary>Documents <c>orders/0…</c> with <c>n</c> and <c>k</c>, one of so many keys.</summary>
    public async Task PutAsync(int from, int count, int keys = 5)
    {
        for (int i = from; i < from + count; i++)
            await Scene.PutAsync($"orders/{i}", $$"""{"n":{{i}},"k":"k{{i % keys}}"}""");
    }

    /// <summary>Starts the task; <c>TARGET</c> in the script is the test's own target.</summary>
    public Task StartAsync(
        string script = "loadTo('TARGET', this);",
        RabbitMqOptions? options = null,
        RabbitMqSettings? settings = null,
        bool publishDeletes = false
    )
    {
        settings ??= new RabbitMqSettings { ConnectionString = Broker.Url };
        var transform = Scene.Transform(script.Replace("TARGET", Target, StringComparison.Ordinal)) with
        {
            PublishDeletes = publishDeletes,
        };
        // Some tests make nearly every message a dead letter.
        return Scene.StartAsync(
            Scene.Configuration(transform) with
            {
                MaxFailedShare = 1,
            },
            new RabbitMqSink(settings, options ?? new RabbitMqOptions(), "test")
        );
    }

    /// <summary>Runs steps, a pause taking 20 ms at most, until something is so; fails when it never is.</summary>
    public void RunUntil(Func<bool> isSo, string what)
    {
        long began = Stopwatch.GetTimestamp();
        while (!isSo())
        {
            Assert.True(Stopwatch.GetElapsedTime(began) < 2 * Eventually.Patience, $"It never came to this: {what}. {Scene.Task.Status()}");
            var rest = Scene.Task.RunStep();
            if (rest == TimeSpan.Zero)
                continue;
            Thread.Sleep(rest == Timeout.InfiniteTimeSpan || rest > TimeSpan.FromMilliseconds(20) ? TimeSpan.FromMilliseconds(20) : rest);
            Scene.Clock.Advance(rest == Timeout.InfiniteTimeSpan ? TimeSpan.FromSeconds(1) : rest);
        }
    }

    public void RunUntil(EtlTaskState state) => RunUntil(() => State == state, $"the state {state}");

    public void RunToIdle() =>
        RunUntil(() => State == EtlTaskState.Idle && Scene.StoredPosition() == Scene.Database.LastDurableEtag, "all is sent");

    /// <summary>After the broker was away.</summary>
    public async Task ReconnectPeerAsync()
    {
        await Peer.DisposeAsync();
        Peer = await RabbitPeer.ConnectAsync(Broker);
    }

    public async ValueTask DisposeAsync()
    {
        await Scene.DisposeAsync();
        await Peer.DisposeAsync();
    }
}
