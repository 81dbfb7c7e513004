using Jackdaw.Acceptance;
using Jackdaw.Brokers;
using Jackdaw.EndToEnd.Transports;
using Jackdaw.FunctionHost;
using Xunit.Abstractions;

namespace Jackdaw.EndToEnd;

/// <summary>A read model that is away for a quarter of an hour, with the settings as they are shipped.</summary>
[Trait("Category", "Long")]
public sealed class OutageTests(ITestOutputHelper output)
{
    private const int Orders = 200;
    private static readonly TimeSpan s_outage = TimeSpan.FromMinutes(15);
    private static readonly string[] s_orders = [.. Enumerable.Range(1, Orders).Select(n => $"orders/{n}")];
    private static readonly string[] s_streams = ["account-1"];

    [BrokerFact(BrokerKind.Azurite)]
    public Task Everything_arrives_by_an_Azure_queue_after_fifteen_minutes() =>
        RunAsync(azurite => Task.FromResult<Transport>(new AzureTransport(azurite)));

    [BrokerFact(BrokerKind.Azurite, BrokerKind.RabbitMq)]
    public Task Everything_arrives_by_RabbitMQ_after_fifteen_minutes() => RunAsync(async _ => await RabbitTransport.StartAsync());

    [BrokerFact(BrokerKind.Azurite, BrokerKind.Kafka)]
    public Task Everything_arrives_by_Kafka_after_fifteen_minutes() => RunAsync(async _ => await KafkaTransport.StartAsync());

    private async Task RunAsync(Func<AzuriteBroker, Task<Transport>> start)
    {
        await using var scene = await CloudScene.OpenAsync(start, isSecured: true, fails: _ => false, new HostOptions());
        await scene.StartHostAsync();
        await scene.SetReadModelAsync(isThere: false);
        foreach (var (id, n) in s_orders.Select((id, n) => (id, n)))
            await scene.PutOrderAsync(id, n);
        await scene.AppendAsync(s_streams[0], "withdrawn", 1500);
        await Task.Delay(s_outage);
        await scene.SetReadModelAsync(isThere: true);
        Assert.Null(await scene.SettleAsync(s_orders, s_streams));
        TestReport.Write(
            output,
            $"{scene.Transport.Name} under {FunctionHostProcess.DefaultName}: {Orders} orders after {s_outage.TotalMinutes:0} minutes without "
                + $"the read model, {scene.Invocations.Failed} failed invocations, nothing given up"
        );
    }
}
