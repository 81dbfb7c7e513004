using System.Text.Json.Nodes;
using Jackdaw.Brokers;
using RabbitMQ.Client;

namespace Jackdaw.Bench.EtlBenchmarks;

internal sealed class SharedRabbit() : SharedBroker<RabbitBroker>(BrokerKind.RabbitMq)
{
    public string Url => Broker.Url;

    public override JsonObject Connection =>
        new()
        {
            ["Type"] = "Queue",
            ["Name"] = "rabbit",
            ["BrokerType"] = "RabbitMq",
            ["RabbitMqConnectionSettings"] = new JsonObject { ["ConnectionString"] = Url },
        };

    protected override Task<RabbitBroker> StartBrokerAsync() => RabbitBroker.StartAsync();

    /// <summary>A queue, and the exchange of its name.</summary>
    public override async Task RequireAndRemoveAsync(string target, long count, CancellationToken cancel)
    {
        await using IConnection connection = await new ConnectionFactory { Uri = new Uri(Url) }.CreateConnectionAsync(cancel);
        await using IChannel channel = await connection.CreateChannelAsync(cancellationToken: cancel);
        long found = await channel.MessageCountAsync(target, cancel);
        await channel.QueueDeleteAsync(target, cancellationToken: cancel);
        await channel.ExchangeDeleteAsync(target, cancellationToken: cancel);
        if (found != count)
            throw new IOException($"{count} messages were confirmed, and the queue has {found}");
    }
}
