using Jackdaw.Acceptance.Deliveries;
using Jackdaw.Brokers;
using Xunit.Abstractions;

namespace Jackdaw.Acceptance;

/// <summary>
/// What a task sends to is restarted and killed, its connections are cut before, during and after an answer, and swallow what is
/// sent, while documents are written to
/// one real server all along; the oracle is that of <see cref="EtlDeliveryTests"/>.
/// </summary>
[Trait("Category", "Slow")]
public sealed class EtlBrokerFaultTests(ITestOutputHelper output)
{
    private static readonly TimeSpan RecoveryTimeout = TimeSpan.FromMinutes(3);

    [Fact]
    public Task A_webhook_misses_nothing_whatever_happens_to_its_connections() => RunAsync(new WebhookTarget());

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task RabbitMQ_misses_nothing_whatever_happens_to_it() => await RunAsync(await RabbitTarget.StartAsync());

    [BrokerFact(BrokerKind.Kafka)]
    public async Task Kafka_misses_nothing_and_has_nothing_twice_whatever_happens_to_it() =>
        await RunAsync(await KafkaTarget.StartAsync(isExactlyOnce: true));

    [BrokerFact(BrokerKind.Kafka)]
    public async Task Kafka_without_transactions_misses_nothing_whatever_happens_to_it() =>
        await RunAsync(await KafkaTarget.StartAsync(isExactlyOnce: false));

    [BrokerFact(BrokerKind.Azurite)]
    public async Task An_Azure_queue_misses_nothing_whatever_happens_to_it_and_its_connections() =>
        await RunAsync(await AzureQueueTarget.StartAsync());

    private async Task RunAsync(DeliveryTarget target)
    {
        await using var _ = target;
        using var scene = new DeliveryScene(target);
        await using var server = await scene.StartAsync();
        await scene.PrepareAsync(server);
        var database = scene.Database(server);
        using var enough = new CancellationTokenSource();
        var writing = scene.WriteAsync(database, enough.Token);
        var faults = Faults(target);
        await FlowsAsync(target, "the beginning");
        foreach (var (what, fault) in faults)
        {
            await fault();
            await FlowsAsync(target, what);
        }
        await enough.CancelAsync();
        await writing;
        var counts = await scene.CheckAsync(database);
        Assert.Equal(0, await server.StopAsync());
        TestReport.Write(output, $"{target.Name}: {faults.Count} faults of the receiver and its connections: {counts}");
    }

    private static List<(string What, Func<Task> Fault)> Faults(DeliveryTarget target)
    {
        var proxy = target.Proxy;
        var faults = new List<(string, Func<Task>)>
        {
            ("cut at any moment", () => Do(proxy.CutAll)),
            ("cut in a request", () => CutAsync(proxy, () => proxy.CutAfterBytes(toServer: 1_000))),
            ("cut before an answer", () => CutAsync(proxy, () => proxy.CutAfterBytes(toClient: 0))),
            ("cut in an answer", () => CutAsync(proxy, () => proxy.CutAfterBytes(toClient: 10))),
            (
                "cut after requests whose answers were lost",
                async () =>
                {
                    var passed = proxy.BytesToServer;
                    proxy.SwallowAnswers = true;
                    // A sender that waits for answers sends no more: a second is all that more requests are waited for.
                    for (var i = 0; i < 100 && proxy.BytesToServer < passed + 2_000; i++)
                        await Task.Delay(10);
                    proxy.CutAll();
                    proxy.SwallowAnswers = false;
                }
            ),
            (
                "a black hole that opens again",
                async () =>
                {
                    proxy.Mode = ProxyMode.BlackHole;
                    await Task.Delay(1_000);
                    proxy.Mode = ProxyMode.Pass;
                }
            ),
            (
                "a black hole that ends in a cut",
                async () =>
                {
                    proxy.Mode = ProxyMode.BlackHole;
                    await Task.Delay(500);
                    proxy.CutAll();
                    proxy.Mode = ProxyMode.Pass;
                }
            ),
            (
                "refused for a while",
                async () =>
                {
                    proxy.Mode = ProxyMode.Refuse;
                    await Task.Delay(500);
                    proxy.Mode = ProxyMode.Pass;
                }
            ),
        };
        if (target.Restart is { } restart)
            faults.Add(("an orderly restart", restart));
        if (target.KillAndStart is { } kill)
            faults.Add(("kill -9 of the receiver", kill));
        return faults;
    }

    private static Task Do(Action action)
    {
        action();
        return Task.CompletedTask;
    }

    /// <summary>Orders a cut and waits until it was made.</summary>
    private static async Task CutAsync(CuttingProxy proxy, Action order)
    {
        var cuts = proxy.Cuts;
        order();
        await Eventually.IsAsync(() => proxy.Cuts > cuts, "Nothing passed that could have been cut.");
    }

    /// <summary>Waits until something new has arrived, twice: what arrives first may have been on its way.</summary>
    private static async Task FlowsAsync(DeliveryTarget target, string after)
    {
        var end = DateTime.UtcNow + RecoveryTimeout;
        for (var i = 0; i < 2; i++)
        {
            await target.CollectAsync();
            var before = target.Arrivals.Count;
            while (target.Arrivals.Count == before)
            {
                Assert.True(DateTime.UtcNow < end, $"{target.Name}: nothing arrives any more after {after}.");
                await Task.Delay(100);
                await target.CollectAsync();
            }
        }
    }
}
