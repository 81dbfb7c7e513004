using System.Globalization;
using System.Text;
using System.Text.Json.Nodes;
using Jackdaw.Brokers;
using RabbitMQ.Client;

namespace Jackdaw.EndToEnd.Transports;

/// <summary>Queues of RabbitMQ whose rejected messages wait in a queue of delay and come back.</summary>
internal sealed class RabbitTransport : Transport
{
    private const string Delayed = "-delayed";
    private const int DelayMs = 500;

    private readonly RabbitBroker _broker;

    private RabbitTransport(RabbitBroker broker)
    {
        _broker = broker;
        Proxy = CuttingProxy.Start(broker.Port);
    }

    public override string Name => "RabbitMQ";

    public override string Functions => "FromRabbitMq";

    public override CuttingProxy Proxy { get; }

    public override JsonObject Connection =>
        new()
        {
            ["Sink"] = "RabbitMq",
            ["RabbitMqConnectionSettings"] = new JsonObject { ["ConnectionString"] = _broker.UrlOver(Proxy.Port) },
        };

    public override IReadOnlyDictionary<string, string> Settings =>
        new Dictionary<string, string> { ["RabbitMq"] = _broker.UrlOver(Proxy.Port) };

    public static async Task<RabbitTransport> StartAsync()
    {
        var transport = new RabbitTransport(await RabbitBroker.StartAsync());
        await using var connection = await transport.ConnectAsync();
        await using var channel = await connection.CreateChannelAsync();
        foreach (var name in new[] { Orders, Accounts })
        {
            await channel.QueueDeclareAsync(name, durable: true, exclusive: false, autoDelete: false, Back(name + Delayed));
            var delay = Back(name);
            delay["x-message-ttl"] = DelayMs;
            await channel.QueueDeclareAsync(name + Delayed, durable: true, exclusive: false, autoDelete: false, delay);
            await channel.ExchangeDeclareAsync(name, ExchangeType.Fanout, durable: true);
            await channel.QueueBindAsync(name, name, "");
        }
        return transport;
    }

    public override async Task<long> BacklogAsync()
    {
        // What waits is told at once. What is under way is told by a command alone, which takes its time.
        if (await ReadyAsync() is > 0 and var ready)
            return ready;
        return (await _broker.ControlAsync("-q", "list_queues", "messages", "--no-table-headers"))
            .Split('\n', StringSplitOptions.RemoveEmptyEntries)
            .Sum(line => long.Parse(line, CultureInfo.InvariantCulture));
    }

    /// <summary>What is rejected comes back.</summary>
    public override Task<long> GivenUpAsync() => Task.FromResult(0L);

    public override async Task SendAsync(string queue, string message)
    {
        await using var connection = await ConnectAsync();
        await using var channel = await connection.CreateChannelAsync(
            new CreateChannelOptions(publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: true)
        );
        await channel.BasicPublishAsync("", queue, mandatory: true, Encoding.UTF8.GetBytes(message));
    }

    public override async ValueTask DisposeAsync()
    {
        await Proxy.DisposeAsync();
        await _broker.DisposeAsync();
    }

    private async Task<long> ReadyAsync()
    {
        await using var connection = await ConnectAsync();
        await using var channel = await connection.CreateChannelAsync();
        var ready = 0L;
        foreach (var name in new[] { Orders, Accounts, Orders + Delayed, Accounts + Delayed })
            ready += await channel.MessageCountAsync(name);
        return ready;
    }

    private Task<IConnection> ConnectAsync() => new ConnectionFactory { Uri = new Uri(_broker.Url) }.CreateConnectionAsync();

    /// <summary>A queue whose rejected and expired messages go to another one.</summary>
    private static Dictionary<string, object?> Back(string queue) =>
        new() { ["x-dead-letter-exchange"] = "", ["x-dead-letter-routing-key"] = queue };
}
