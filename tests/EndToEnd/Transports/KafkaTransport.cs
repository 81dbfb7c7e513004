using System.Text.Json.Nodes;
using Confluent.Kafka;
using Confluent.Kafka.Admin;
using Jackdaw.Brokers;

namespace Jackdaw.EndToEnd.Transports;

/// <summary>Topics of Kafka with two partitions each.</summary>
internal sealed class KafkaTransport : Transport
{
    private const int Partitions = 2;

    private readonly KafkaBroker _broker;

    private KafkaTransport(KafkaBroker broker, CuttingProxy proxy)
    {
        _broker = broker;
        Proxy = proxy;
    }

    public override string Name => "Kafka";

    public override string Functions => "FromKafka";

    public override CuttingProxy Proxy { get; }

    public override JsonObject Connection =>
        new()
        {
            ["Sink"] = "Kafka",
            ["KafkaConnectionSettings"] = new JsonObject { ["BootstrapServers"] = $"127.0.0.1:{Proxy.Port}" },
        };

    public override IReadOnlyDictionary<string, string> Settings =>
        new Dictionary<string, string> { ["Kafka"] = $"127.0.0.1:{Proxy.Port}" };

    public static async Task<KafkaTransport> StartAsync()
    {
        var proxy = CuttingProxy.Start(targetPort: 0);
        var broker = await KafkaBroker.StartAsync(
            new KafkaBrokerOptions
            {
                AdvertisedPort = proxy.Port,
                // A host that was killed stays in its group until its session ends.
                Properties = new Dictionary<string, string> { ["group.min.session.timeout.ms"] = "1000" },
            }
        );
        proxy.TargetPort = broker.ProxiedPort!.Value;
        using var admin = new AdminClientBuilder(new AdminClientConfig { BootstrapServers = broker.BootstrapServers }).Build();
        await admin.CreateTopicsAsync([
            .. new[] { Orders, Accounts }.Select(name => new TopicSpecification
            {
                Name = name,
                NumPartitions = Partitions,
                ReplicationFactor = 1,
            }),
        ]);
        return new KafkaTransport(broker, proxy);
    }

    public override Task<long> BacklogAsync() => Task.Run(() => Backlog("orders") + Backlog("accounts"));

    /// <summary>Nothing is given up: the retry policy has no end.</summary>
    public override Task<long> GivenUpAsync() => Task.FromResult(0L);

    public override async Task SendAsync(string queue, string message)
    {
        using var producer = new ProducerBuilder<Null, string>(
            new ProducerConfig { BootstrapServers = _broker.BootstrapServers, EnableIdempotence = true }
        ).Build();
        await producer.ProduceAsync(queue, new Message<Null, string> { Value = message });
    }

    public override async ValueTask DisposeAsync()
    {
        await Proxy.DisposeAsync();
        await _broker.DisposeAsync();
    }

    /// <summary>Offsets alone do not tell: the marks of transactions have some, too.</summary>
    private long Backlog(string topic)
    {
        using var consumer = new ConsumerBuilder<Ignore, Ignore>(
            new ConsumerConfig
            {
                BootstrapServers = _broker.BootstrapServers,
                GroupId = $"jackdaw-functions-{topic}",
                EnableAutoCommit = false,
                EnablePartitionEof = true,
                AutoOffsetReset = AutoOffsetReset.Earliest,
            }
        ).Build();
        TopicPartition[] partitions = [.. Enumerable.Range(0, Partitions).Select(one => new TopicPartition(topic, one))];
        consumer.Assign(
            consumer
                .Committed(partitions, Eventually.Patience)
                .Select(one => one.Offset == Offset.Unset ? new TopicPartitionOffset(one.TopicPartition, Offset.Beginning) : one)
        );
        var messages = 0;
        for (var open = Partitions; open > 0; )
        {
            var result = consumer.Consume(Eventually.Patience) ?? throw new TimeoutException("Kafka says nothing.");
            if (result.IsPartitionEOF)
                open--;
            else
                messages++;
        }
        return messages;
    }
}
