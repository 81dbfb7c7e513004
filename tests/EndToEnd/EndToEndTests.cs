using Jackdaw.Acceptance;
using Jackdaw.Brokers;
using Jackdaw.EndToEnd.Transports;
using Jackdaw.FunctionHost;
using Xunit.Abstractions;

namespace Jackdaw.EndToEnd;

/// <summary>
/// The official client saves and deletes orders, events are appended, and all of it arrives in the read model of another database, over
/// TLS, by way of a broker and of functions under their host; server, host and connections are killed at random. In the end each document
/// of the read model is what its source says, and each effect outside has come once, duplicates removed.
/// </summary>
[Trait("Category", "Slow")]
public sealed class EndToEndTests(ITestOutputHelper output)
{
    private const int Orders = 8;
    private static readonly TimeSpan s_outage = TimeSpan.FromSeconds(10);

    /// <summary>Twins by casing are two streams.</summary>
    private static readonly string[] s_streams = ["account-1", "Account-1", "account/2"];

    private static readonly string[] s_orders =
    [
        .. Enumerable.Range(1, Orders).Select(n => $"orders/{n}"),
        "orders/in-flight",
        .. Enumerable.Range(0, 5).Select(n => $"orders/outage-{n}"),
    ];

    [BrokerFact(BrokerKind.Azurite)]
    public Task An_Azure_queue_carries_everything_to_the_read_model_whatever_is_killed() =>
        RunAsync(azurite => Task.FromResult<Transport>(new AzureTransport(azurite)));

    [BrokerFact(BrokerKind.Azurite, BrokerKind.RabbitMq)]
    public Task RabbitMQ_carries_everything_to_the_read_model_whatever_is_killed() =>
        RunAsync(async _ => await RabbitTransport.StartAsync());

    [BrokerFact(BrokerKind.Azurite, BrokerKind.Kafka)]
    public Task Kafka_carries_everything_to_the_read_model_whatever_is_killed() => RunAsync(async _ => await KafkaTransport.StartAsync());

    private async Task RunAsync(Func<AzuriteBroker, Task<Transport>> start)
    {
        var seed = int.TryParse(Environment.GetEnvironmentVariable("JACKDAW_TEST_SEED"), out var given) ? given : Random.Shared.Next();
        output.WriteLine($"JACKDAW_TEST_SEED={seed}");
        var rounds = int.TryParse(Environment.GetEnvironmentVariable("JACKDAW_KILL_ROUNDS"), out var many) ? Math.Max(1, many / 6) : 4;
        var isDown = false;
        var failures = 0;
        await using var scene = await CloudScene.OpenAsync(
            start,
            isSecured: true,
            fails: number =>
            {
                if (Volatile.Read(ref isDown))
                    Interlocked.Increment(ref failures);
                return Volatile.Read(ref isDown) || number % 5 == 0;
            },
            new HostOptions { Lease = TimeSpan.FromSeconds(5) }
        );
        await scene.StartHostAsync();
        string kills;
        int changes;
        await using (var writers = new Writers(scene, seed, Orders, s_streams))
        {
            kills = await KillAsync(scene, writers, new Random(seed), rounds);
            await writers.StopAsync();
            changes = writers.Acknowledged;
        }
        Assert.Null(await scene.SettleAsync(s_orders, s_streams));

        // From now on an invocation gives up after a second, so that an outage of seconds uses up tries as one of hours would.
        scene.Set("Jackdaw__LongestInvocation", "1");
        await scene.KillHostWithMessagesAsync(() => scene.PutOrderAsync("orders/in-flight", 1), isLost: false);
        Assert.Null(await scene.SettleAsync(s_orders, s_streams));

        // The read model is away, and the endpoint of the outbox for longer.
        var failed = scene.Invocations.Failed;
        Volatile.Write(ref isDown, true);
        await scene.SetReadModelAsync(isThere: false);
        for (var n = 0; n < 5; n++)
            await scene.PutOrderAsync($"orders/outage-{n}", n);
        await scene.AppendAsync(s_streams[0], "withdrawn", 1001);
        await Task.Delay(s_outage);
        await Eventually.IsAsync(() => scene.Invocations.Failed > failed);
        await scene.SetReadModelAsync(isThere: true);
        await Eventually.IsAsync(() => Volatile.Read(ref failures) >= 4);
        Volatile.Write(ref isDown, false);
        Assert.Null(await scene.SettleAsync(s_orders, s_streams));

        // What is no event becomes a dead letter, and holds nothing up.
        await scene.Transport.SendAsync(Transport.Orders, "no event");
        await scene.PutOrderAsync("orders/in-flight", 2);
        Assert.Null(await scene.SettleAsync(s_orders, s_streams, deadLetters: 1));

        var (succeeded, refused) = scene.Invocations;
        var notices = scene.Outside.Notices.DistinctBy(notice => notice.WebhookId).Count();
        TestReport.Write(
            output,
            $"{scene.Transport.Name} under {FunctionHostProcess.DefaultName}: {changes} changes, {kills}, "
                + $"{succeeded} invocations and {refused} failed ones, "
                + $"{notices} webhooks ({scene.Outside.Notices.Count - notices} repeated, same id): nothing missing, nothing given up, one dead letter for what was no event"
        );
    }

    /// <summary>Returns what was killed, in words.</summary>
    private static async Task<string> KillAsync(CloudScene scene, Writers writers, Random random, int rounds)
    {
        var (servers, hosts, cuts) = (0, 0, 0);
        int[] kinds = [0, 1, 2];
        for (var round = 0; round < rounds; round++)
        {
            await writers.AdvanceAsync(orders: random.Next(4, 12), events: random.Next(2, 6));
            // None is left out; their order, and what they meet, is left to chance.
            if (round % kinds.Length == 0)
                random.Shuffle(kinds);
            switch (kinds[round % kinds.Length])
            {
                case 0:
                    await scene.Shop.KillAndStartAsync();
                    servers++;
                    break;
                case 1:
                    await scene.KillHostAsync();
                    await scene.StartHostAsync();
                    hosts++;
                    break;
                default:
                    scene.Transport.Proxy.CutAfterBytes(toServer: random.Next(20_000), toClient: random.Next(20_000));
                    scene.Shop.Proxy.CutAfterBytes(toServer: random.Next(20_000), toClient: random.Next(20_000));
                    scene.Transport.Proxy.CutAll();
                    cuts++;
                    break;
            }
        }
        await writers.AdvanceAsync(orders: 3, events: 2);
        return $"{servers} kills of the server and {hosts + 1} of the host, {cuts} times all connections cut";
    }
}
