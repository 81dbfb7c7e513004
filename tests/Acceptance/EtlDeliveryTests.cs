using Jackdaw.Acceptance.Deliveries;
using Jackdaw.Brokers;
using Xunit.Abstractions;

namespace Jackdaw.Acceptance;

/// <summary>
/// The server dies at every named step of a task, and at random, again and again on one data folder; what the target received is
/// held against what the database has:
/// nothing is missing, and duplicates and order are as the target promises (docs/promises.md).
/// </summary>
[Trait("Category", "Slow")]
public sealed class EtlDeliveryTests(ITestOutputHelper output)
{
    // The second time is in the middle of things: something was delivered, and its position stored.
    private static readonly string[] s_deaths =
    [
        .. new[]
        {
            "etl/script",
            "etl/read",
            "etl/script-dead-letters",
            "etl/sending",
            "etl/on-its-way",
            "etl/sent",
            "etl/dead-letters",
            "etl/position",
            "etl/position-stored",
        }.SelectMany(name => new[] { $"{name}#1", $"{name}#2" }),
    ];

    [Fact]
    public Task A_webhook_misses_nothing_wherever_the_server_dies() => RunAsync(new WebhookTarget());

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task RabbitMQ_misses_nothing_wherever_the_server_dies() => await RunAsync(await RabbitTarget.StartAsync());

    [BrokerFact(BrokerKind.Kafka)]
    public async Task Kafka_misses_nothing_and_has_nothing_twice_wherever_the_server_dies() =>
        await RunAsync(await KafkaTarget.StartAsync(isExactlyOnce: true));

    [BrokerFact(BrokerKind.Kafka)]
    public async Task Kafka_without_transactions_misses_nothing_wherever_the_server_dies() =>
        await RunAsync(await KafkaTarget.StartAsync(isExactlyOnce: false));

    [BrokerFact(BrokerKind.Azurite)]
    public async Task An_Azure_queue_misses_nothing_wherever_the_server_dies() => await RunAsync(await AzureQueueTarget.StartAsync());

    private async Task RunAsync(DeliveryTarget target)
    {
        await using var _ = target;
        using var scene = new DeliveryScene(target);
        await StopInOrderTwiceAsync(scene, target);

        string[] deaths = [.. s_deaths, .. target.OwnDeaths];
        foreach (var death in deaths)
        {
            await scene.DieAsync(death);
            await target.CollectAsync();
        }
        var atFailpoints = scene.Deaths;
        await KillAtRandomAsync(scene, target);

        await using var last = await scene.StartAsync();
        var counts = await scene.CheckAsync(scene.Database(last));
        Assert.Equal(0, await last.StopAsync());
        TestReport.Write(
            output,
            $"{target.Name}: {atFailpoints} deaths at {deaths.Select(death => death.Split('#')[0]).Distinct().Count()} "
                + $"failpoints, {scene.Deaths - atFailpoints} at random: {counts}"
        );
    }

    /// <summary>The first time in the middle of sending, the second time at rest: nothing comes twice, whatever the target
    /// promises.</summary>
    private static async Task StopInOrderTwiceAsync(DeliveryScene scene, DeliveryTarget target)
    {
        await using (var first = await scene.StartAsync())
        {
            await scene.PrepareAsync(first);
            await scene.WriteAsync(scene.Database(first), 100);
            Assert.Equal(0, await first.StopAsync());
        }
        await using (var second = await scene.StartAsync())
        {
            await scene.WriteAsync(scene.Database(second), 20);
            await DeliveryScene.UntilIdleAsync(scene.Database(second));
            Assert.Equal(0, await second.StopAsync());
        }
        await target.CollectAllAsync();
        Assert.Equal(0, DeliveryOracle.Duplicates(target.Arrivals));
    }

    private async Task KillAtRandomAsync(DeliveryScene scene, DeliveryTarget target)
    {
        var seed = int.TryParse(Environment.GetEnvironmentVariable("JACKDAW_TEST_SEED"), out var seeded) ? seeded : Random.Shared.Next();
        output.WriteLine($"JACKDAW_TEST_SEED={seed}");
        var random = new Random(seed);
        var rounds = int.TryParse(Environment.GetEnvironmentVariable("JACKDAW_KILL_ROUNDS"), out var given) ? Math.Max(1, given / 6) : 5;
        for (var round = 0; round < rounds; round++)
        {
            await using var server = await scene.StartAsync();
            var writing = scene.WriteUntilItDiesAsync(server, "kill -9");
            await Task.Delay(random.Next(50, 700));
            await server.KillAsync();
            await writing;
            await target.CollectAsync();
        }
    }
}
