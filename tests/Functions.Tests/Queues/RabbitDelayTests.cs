using System.Text;
using System.Text.Json.Nodes;
using Jackdaw.Acceptance.Processes;
using Jackdaw.Brokers;
using RabbitMQ.Client;

namespace Jackdaw.Functions.Tests.Queues;

/// <summary>The declarations of functions/rabbitmq.json, imported into a real RabbitMQ.</summary>
[Trait("Category", "Slow")]
public sealed class RabbitDelayTests
{
    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task A_message_that_a_function_rejects_comes_back_after_a_delay()
    {
        await using var broker = await RabbitBroker.StartAsync();
        var definitions = JsonNode.Parse(await File.ReadAllTextAsync(Path.Combine(Repository.Root, "functions", "rabbitmq.json")))!;
        // A minute is long for a test.
        foreach (var queue in definitions["queues"]!.AsArray())
            queue!["arguments"]!["x-message-ttl"] = 1000;
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
        await using var connection = await new ConnectionFactory { Uri = new Uri(broker.Url) }.CreateConnectionAsync();
        await using var channel = await connection.CreateChannelAsync();
        foreach (var name in new[] { "orders", "accounts" })
        {
            // As a task declares it with this DeadLetterExchange.
            var arguments = new Dictionary<string, object?> { ["x-dead-letter-exchange"] = $"{name}-retry" };
            await channel.QueueDeclareAsync(name, durable: true, exclusive: false, autoDelete: false, arguments);
            await channel.BasicPublishAsync("", name, Encoding.UTF8.GetBytes(name));
            for (var round = 0; round < 2; round++)
            {
                BasicGetResult? taken = null;
                await Eventually.IsAsync(async () => (taken = await channel.BasicGetAsync(name, autoAck: false)) is not null);
                Assert.Equal(name, Encoding.UTF8.GetString(taken!.Body.Span));
                await channel.BasicRejectAsync(taken.DeliveryTag, requeue: false);
                // It waits elsewhere.
                Assert.Null(await channel.BasicGetAsync(name, autoAck: false));
            }
        }
    }
}
