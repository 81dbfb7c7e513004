using System.Globalization;
using System.Text;
using System.Text.Json.Nodes;
using Jackdaw.Acceptance.Processes;
using Jackdaw.Brokers;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Jackdaw.EndToEnd.Transports;

/// <summary>Queues of RabbitMQ as tasks declare them, with the dead-letter exchanges of functions/rabbitmq.json: what the host rejects
/// waits in a queue of delay and comes back.</summary>
internal sealed class RabbitTransport : Transport
{
    private const string Delayed = "-delay";
    private const string Retry = "-retry";

    /// <summary>In place of a minute.</summary>
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

    public override JsonObject TaskMembers(string queue) =>
        new() { ["RabbitMq"] = new JsonObject { ["DeadLetterExchange"] = queue + Retry } };

    public static async Task<RabbitTransport> StartAsync()
    {
        var broker = await RabbitBroker.StartAsync();
        var definitions = JsonNode.Parse(await File.ReadAllTextAsync(Path.Combine(Repository.Root, "functions", "rabbitmq.json")))!;
        foreach (var queue in definitions["queues"]!.AsArray())
            queue!["arguments"]!["x-message-ttl"] = DelayMs;
        var file = Path.GetTempFileName();
        try
        {
            await File.WriteAllTextAsync(file, definitions.ToJsonString());
            await broker.ControlAsync("import_definitions", file);
        }
        finally
        {
            File.Delete(file);
        }
        var transport = new RabbitTransport(broker);
        // As the tasks declare them again: a host that starts before the first message finds its queues.
        await using var connection = await transport.ConnectAsync();
        await using var channel = await connection.CreateChannelAsync();
        foreach (var name in new[] { Orders, Accounts })
        {
            var arguments = new Dictionary<string, object?> { ["x-dead-letter-exchange"] = name + Retry };
            await channel.QueueDeclareAsync(name, durable: true, exclusive: false, autoDelete: false, arguments);
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
        var ready = 0L;
        foreach (var name in new[] { Orders, Accounts, Orders + Delayed, Accounts + Delayed })
        {
            await using var channel = await connection.CreateChannelAsync();
            try
            {
                ready += await channel.MessageCountAsync(name);
            }
            catch (OperationInterruptedException e) when (e.ShutdownReason?.ReplyCode == Constants.NotFound)
            {
                // Its task has sent nothing yet.
            }
        }
        return ready;
    }

    private Task<IConnection> ConnectAsync() => new ConnectionFactory { Uri = new Uri(_broker.Url) }.CreateConnectionAsync();
}
