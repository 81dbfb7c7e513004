using System.Globalization;
using System.Text;
using System.Text.Json.Nodes;
using Confluent.Kafka;
using Confluent.Kafka.Admin;
using Jackdaw.Brokers;

namespace Jackdaw.Acceptance.Deliveries;

/// <summary>A topic of Kafka with three partitions, read committed. The target refuses what is over a million bytes.</summary>
internal sealed class KafkaTarget : DeliveryTarget
{
    private const string Topic = "Orders";
    private const int Partitions = 3;

    private readonly KafkaBroker _broker;
    private readonly bool _isExactlyOnce;
    private readonly IConsumer<string?, string> _consumer;
    private readonly long[] _next = new long[Partitions];

    private KafkaTarget(KafkaBroker broker, CuttingProxy proxy, bool isExactlyOnce)
    {
        _broker = broker;
        Proxy = proxy;
        _isExactlyOnce = isExactlyOnce;
        _consumer = new ConsumerBuilder<string?, string>(
            new ConsumerConfig
            {
                BootstrapServers = broker.BootstrapServers,
                GroupId = "test",
                EnableAutoCommit = false,
                IsolationLevel = IsolationLevel.ReadCommitted,
                EnablePartitionEof = true,
            }
        ).SetErrorHandler((_, _) => { }).SetLogHandler((_, _) => { }).Build();
    }

    public override string Name => _isExactlyOnce ? "Kafka" : "Kafka, AtLeastOnce";

    public override DeliveryPromise Promise => new(_isExactlyOnce, IsOrdered: true);

    public override CuttingProxy Proxy { get; }

    public override IReadOnlyList<string> OwnDeaths =>
        _isExactlyOnce
            ?
            [
                "etl/kafka-claiming#1",
                "etl/kafka-claiming#1",
                "etl/kafka-produced#1",
                "etl/kafka-produced#2",
                "etl/kafka-committed#1",
                "etl/kafka-committed#2",
            ]
            : [];

    public override string Script =>
        """
            if (this.bad === 'script') throw new Error('no');
            const filler = this.bad === 'sink' ? 'x'.repeat(1050000) : '';
            loadToOrders({ n: this.n, filler });
            if (this.n % 5 === 0) loadToOrders({ n: this.n, filler, part: 2 });
            """;

    public override Func<Task> Restart =>
        async () =>
        {
            await _broker.StopAsync();
            await _broker.StartAgainAsync();
        };

    public override Func<Task> KillAndStart =>
        async () =>
        {
            _broker.Kill();
            await _broker.StartAgainAsync();
        };

    public static async Task<KafkaTarget> StartAsync(bool isExactlyOnce)
    {
        var proxy = CuttingProxy.Start(targetPort: 0);
        var broker = await KafkaBroker.StartAsync(new KafkaBrokerOptions { AdvertisedPort = proxy.Port });
        proxy.TargetPort = broker.ProxiedPort!.Value;
        using var admin = new AdminClientBuilder(new AdminClientConfig { BootstrapServers = broker.BootstrapServers }).Build();
        await admin.CreateTopicsAsync([
            new TopicSpecification
            {
                Name = Topic,
                NumPartitions = Partitions,
                ReplicationFactor = 1,
            },
        ]);
        return new KafkaTarget(broker, proxy, isExactlyOnce);
    }

    public override JsonObject Connection() =>
        new()
        {
            ["Type"] = "Queue",
            ["Name"] = "Target",
            ["BrokerType"] = "Kafka",
            ["KafkaConnectionSettings"] = new JsonObject { ["BootstrapServers"] = $"127.0.0.1:{Proxy.Port}" },
        };

    public override JsonObject TaskMembers() => new() { ["Delivery"] = _isExactlyOnce ? "Transactional" : "AtLeastOnce" };

    public override async ValueTask DisposeAsync()
    {
        _consumer.Dispose();
        await Proxy.DisposeAsync();
        await _broker.DisposeAsync();
    }

    /// <summary>A broker acknowledges a commit first, and then marks the transaction as decided in each partition: until then, the
    /// partition ends for readers of committed messages before the transaction.</summary>
    protected override async Task UntilShownAsync()
    {
        using var admin = new AdminClientBuilder(new AdminClientConfig { BootstrapServers = _broker.BootstrapServers }).Build();
        await Eventually.IsAsync(async () =>
        {
            var committed = await EndsAsync(admin, IsolationLevel.ReadCommitted);
            return committed.SequenceEqual(await EndsAsync(admin, IsolationLevel.ReadUncommitted));
        });
    }

    private static async Task<IEnumerable<long>> EndsAsync(IAdminClient admin, IsolationLevel isolation)
    {
        var ends = await admin.ListOffsetsAsync(
            Enumerable
                .Range(0, Partitions)
                .Select(partition => new TopicPartitionOffsetSpec
                {
                    TopicPartition = new TopicPartition(Topic, partition),
                    OffsetSpec = OffsetSpec.Latest(),
                }),
            new ListOffsetsOptions { IsolationLevel = isolation }
        );
        return ends
            .ResultInfos.OrderBy(end => end.TopicPartitionOffsetError.Partition.Value)
            .Select(end => end.TopicPartitionOffsetError.Offset.Value);
    }

    protected override async Task<IReadOnlyList<Arrival>> TakeAsync() => await Task.Run(Take);

    /// <summary>Reads each partition to its end as it is now: up to the beginning of a transaction that is not decided.</summary>
    private List<Arrival> Take()
    {
        var taken = new List<Arrival>();
        // Assigned anew, because the end of a partition that did not grow is told once only.
        _consumer.Assign(_next.Select((offset, partition) => new TopicPartitionOffset(Topic, partition, offset)));
        for (var open = Partitions; open > 0; )
        {
            var result =
                _consumer.Consume(Eventually.Patience)
                ?? throw new TimeoutException($"Kafka says nothing for {Eventually.Patience.TotalSeconds} s.");
            _next[result.Partition.Value] = result.IsPartitionEOF ? result.Offset.Value : result.Offset.Value + 1;
            if (result.IsPartitionEOF)
                open--;
            else
                taken.Add(Read(result));
        }
        _consumer.Unassign();
        return taken;
    }

    private static Arrival Read(ConsumeResult<string?, string> message) =>
        new(
            Header(message, "id"),
            Header(message, "subject"),
            long.Parse(Header(message, "etag"), CultureInfo.InvariantCulture),
            message.Message.Value
        );

    private static string Header(ConsumeResult<string?, string> message, string name) =>
        Encoding.UTF8.GetString(message.Message.Headers.GetLastBytes($"ce_{name}"));
}
