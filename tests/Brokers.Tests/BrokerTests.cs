using System.Text;
using Azure.Storage.Queues;
using Confluent.Kafka;
using RabbitMQ.Client;

namespace Jackdaw.Brokers.Tests;

/// <summary>Each broker starts, works with its client, and keeps what it acknowledged when it is started again.</summary>
[Trait("Category", "Slow")]
public sealed class BrokerTests
{
    [BrokerFact(BrokerKind.Azurite)]
    public async Task Azurite_keeps_its_messages_over_an_orderly_restart()
    {
        await using var broker = await AzuriteBroker.StartAsync();
        var queue = new QueueClient(broker.ConnectionString, "orders");
        await queue.CreateAsync();
        await queue.SendMessageAsync("hello");
        await broker.StopAsync();
        await broker.StartAgainAsync();
        Assert.Equal("hello", Assert.Single((await queue.ReceiveMessagesAsync(maxMessages: 2)).Value).MessageText);
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task RabbitMQ_keeps_what_it_confirmed_over_kill_9()
    {
        await using var broker = await RabbitBroker.StartAsync();
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
            await Task.Delay(RabbitBroker.DeclarationsAreSafeAfter);
            await channel.BasicPublishAsync(
                "",
                "orders",
                mandatory: true,
                new BasicProperties { Persistent = true },
                Encoding.UTF8.GetBytes("hello")
            );
            broker.Kill();
        }
        await broker.StartAgainAsync();
        await using var again = await factory.CreateConnectionAsync();
        await using var reading = await again.CreateChannelAsync();
        var message = await reading.BasicGetAsync("orders", autoAck: true);
        Assert.Equal("hello", Encoding.UTF8.GetString(message!.Body.Span));
        await broker.StopAsync();
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task Kafka_keeps_what_it_acknowledged_over_kill_9_and_is_reached_through_a_proxy()
    {
        await using var proxy = CuttingProxy.Start(targetPort: 0);
        await using var broker = await KafkaBroker.StartAsync(new KafkaBrokerOptions { AdvertisedPort = proxy.Port });
        proxy.TargetPort = broker.ProxiedPort!.Value;
        using (
            var producer = new ProducerBuilder<Null, string>(
                new ProducerConfig { BootstrapServers = $"127.0.0.1:{proxy.Port}", Acks = Acks.All }
            ).Build()
        )
            await producer.ProduceAsync("orders", new Message<Null, string> { Value = "hello" }).WaitAsync(Eventually.Patience);
        // The first connection asks where the broker is, and is told: behind the proxy.
        Assert.True(proxy.ConnectionsMade >= 2, $"{proxy.ConnectionsMade} connections went through the proxy.");
        broker.Kill();
        await broker.StartAgainAsync();
        var configuration = new ConsumerConfig
        {
            BootstrapServers = broker.BootstrapServers,
            GroupId = "test",
            AutoOffsetReset = AutoOffsetReset.Earliest,
        };
        using var consumer = new ConsumerBuilder<Ignore, string>(configuration).Build();
        consumer.Subscribe("orders");
        Assert.Equal("hello", consumer.Consume(Eventually.Patience)?.Message.Value);
        consumer.Close();
    }
}
