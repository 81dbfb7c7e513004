using System.Text.Json.Nodes;
using Confluent.Kafka;
using Jackdaw.Brokers;

namespace Jackdaw.Bench.EtlBenchmarks;

internal sealed class SharedKafka() : SharedBroker<KafkaBroker>(BrokerKind.Kafka)
{
    public string BootstrapServers => Broker.BootstrapServers;

    public override JsonObject Connection =>
        new()
        {
            ["Type"] = "Queue",
            ["Name"] = "kafka",
            ["BrokerType"] = "Kafka",
            ["KafkaConnectionSettings"] = new JsonObject { ["BootstrapServers"] = BootstrapServers },
        };

    protected override Task<KafkaBroker> StartBrokerAsync() => KafkaBroker.StartAsync(new KafkaBrokerOptions { ForMeasuring = true });

    /// <summary>Committed messages.</summary>
    public override async Task RequireAndRemoveAsync(string target, long count, CancellationToken cancel)
    {
        using var admin = new AdminClientBuilder(new AdminClientConfig { BootstrapServers = BootstrapServers }).Build();
        int partitions = admin.GetMetadata(target, TimeSpan.FromSeconds(10)).Topics[0].Partitions.Count;
        using (var consumer = Consumer(target, partitions))
        {
            long found = 0;
            for (int ended = 0; ended < partitions; )
            {
                cancel.ThrowIfCancellationRequested();
                ConsumeResult<byte[], byte[]> result =
                    consumer.Consume(TimeSpan.FromSeconds(10)) ?? throw new IOException($"the end of {target} is not told");
                ended += result.IsPartitionEOF ? 1 : 0;
                found += result.IsPartitionEOF ? 0 : 1;
            }
            if (found != count)
                throw new IOException($"{count} messages were committed, and the topic has {found}");
        }
        await admin.DeleteTopicsAsync([target]);
    }

    /// <summary>Reads committed messages of a topic from its beginning, and tells the end of each partition.</summary>
    public IConsumer<byte[], byte[]> Consumer(string topic, int partitions = 1)
    {
        var consumer = new ConsumerBuilder<byte[], byte[]>(
            new ConsumerConfig
            {
                BootstrapServers = BootstrapServers,
                GroupId = "bench",
                IsolationLevel = IsolationLevel.ReadCommitted,
                EnableAutoCommit = false,
                EnablePartitionEof = true,
            }
        ).Build();
        consumer.Assign(Enumerable.Range(0, partitions).Select(partition => new TopicPartitionOffset(topic, partition, 0)));
        return consumer;
    }
}
