using Confluent.Kafka;
using Jackdaw.Bench.Frame;
using Jackdaw.Brokers;

namespace Jackdaw.Bench.EtlBenchmarks;

/// <summary>The one broker of all contenders of a benchmark: started by the first that asks, ended with the last that lets go.</summary>
internal sealed class SharedKafka
{
    private KafkaBroker? _broker;
    private int _users;

    public string BootstrapServers => _broker?.BootstrapServers ?? throw new InvalidOperationException("the broker was not started");

    /// <exception cref="ContenderUnavailableException">Kafka is not here.</exception>
    public async Task StartAsync()
    {
        if (BrokerAvailability.WhyNot(BrokerKind.Kafka) is { } reason)
            throw new ContenderUnavailableException(reason);
        _broker ??= await KafkaBroker.StartAsync(new KafkaBrokerOptions { ForMeasuring = true });
        _users++;
    }

    public async Task LetGoAsync()
    {
        if (_broker is null || --_users > 0)
            return;
        await _broker.DisposeAsync();
        _broker = null;
    }

    /// <summary>Requires that a topic has exactly so many committed messages, and deletes it.</summary>
    public async Task RequireAndRemoveAsync(string topic, long count, CancellationToken cancel)
    {
        using var admin = new AdminClientBuilder(new AdminClientConfig { BootstrapServers = BootstrapServers }).Build();
        int partitions = admin.GetMetadata(topic, TimeSpan.FromSeconds(10)).Topics[0].Partitions.Count;
        using (var consumer = Consumer(topic, partitions))
        {
            long found = 0;
            for (int ended = 0; ended < partitions;)
            {
                cancel.ThrowIfCancellationRequested();
                ConsumeResult<byte[], byte[]> result = consumer.Consume(TimeSpan.FromSeconds(10)) ?? throw new IOException($"the end of {topic} is not told");
                ended += result.IsPartitionEOF ? 1 : 0;
                found += result.IsPartitionEOF ? 0 : 1;
            }
            if (found != count)
                throw new IOException($"{count} messages were committed, and the topic has {found}");
        }
        await admin.DeleteTopicsAsync([topic]);
    }

    /// <summary>Reads committed messages of a topic from its beginning, and tells the end of each partition.</summary>
    public IConsumer<byte[], byte[]> Consumer(string topic, int partitions = 1)
    {
        var consumer = new ConsumerBuilder<byte[], byte[]>(new ConsumerConfig
        {
            BootstrapServers = BootstrapServers,
            GroupId = "bench",
            IsolationLevel = IsolationLevel.ReadCommitted,
            EnableAutoCommit = false,
            EnablePartitionEof = true,
        }).Build();
        consumer.Assign(Enumerable.Range(0, partitions).Select(partition => new TopicPartitionOffset(topic, partition, 0)));
        return consumer;
    }
}
