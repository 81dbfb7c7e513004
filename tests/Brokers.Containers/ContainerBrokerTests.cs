using System.Text;
using Azure.Storage.Queues;
using Confluent.Kafka;
using RabbitMQ.Client;

namespace Jackdaw.Brokers.Containers;

/// <summary>Each broker in a container works with its client, and keeps what it acknowledged over an orderly restart.</summary>
[Trait("Category", "Slow")]
public sealed class ContainerBrokerTests
{
    [Fact]
    public async Task Azurite_keeps_its_messages()
    {
        await using var broker = await AzuriteContainerBroker.StartAsync();
        var queue = new QueueClient(broker.ConnectionString, "orders");
        await queue.CreateAsync();
        await queue.SendMessageAsync("hello");
        await broker.StopAsync();
        await broker.StartAgainAsync();
        Assert.Equal("hello", Assert.Single((await queue.ReceiveMessagesAsync(maxMessages: 2)).Value).MessageText);
    }

    [Fact]
    public async Task RabbitMQ_keeps_its_messages()
    {
        await using var broker = await RabbitContainerBroker.StartAsync();
        var factory = new ConnectionFactory { Uri = new Uri(broker.Url) };
        await using (var connection = await factory.CreateConnectionAsync())
        {
            await using var channel = await connection.CreateChannelAsync(
                new CreateChannelOptions(
                    publisherConfirmationsEnabled: true,
                    publisherConfirmationTrackingEnabled: true,
                    outstandingPublisherConfirmationsRateLimiter: null
                )
            );
            await channel.QueueDeclareAsync("orders", durable: true, exclusive: false, autoDelete: false);
            await channel.BasicPublishAsync(
                "",
                "orders",
                mandatory: true,
                new BasicProperties { Persistent = true },
                Encoding.UTF8.GetBytes("hello")
            );
        }
        await broker.StopAsync();
        await broker.StartAgainAsync();
        await using var again = await factory.CreateConnectionAsync();
        await using var reading = await again.CreateChannelAsync();
        var message = await reading.BasicGetAsync("orders", autoAck: true);
        Assert.Equal("hello", Encoding.UTF8.GetString(message!.Body.Span));
    }

    [Fact]
    public async Task Kafka_keeps_its_messages()
    {
        await using var broker = await KafkaContainerBroker.StartAsync();
        using (
            var producer = new ProducerBuilder<Null, string>(
                new ProducerConfig { BootstrapServers = broker.BootstrapServers, Acks = Acks.All }
            ).Build()
        )
            await producer.ProduceAsync("orders", new Message<Null, string> { Value = "hello" });
        await broker.StopAsync();
        await broker.StartAgainAsync();
        using var consumer = new ConsumerBuilder<Ignore, string>(
            new ConsumerConfig
            {
                BootstrapServers = broker.BootstrapServers,
                GroupId = "test",
                AutoOffsetReset = AutoOffsetReset.Earliest,
            }
        ).Build();
        consumer.Subscribe("orders");
        Assert.Equal("hello", consumer.Consume(TimeSpan.FromMinutes(2))?.Message.Value);
        consumer.Close();
    }
}
