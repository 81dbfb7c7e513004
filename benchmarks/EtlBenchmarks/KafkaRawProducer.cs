using System.Globalization;
using System.Text;
using Confluent.Kafka;
using Confluent.Kafka.Admin;

namespace Jackdaw.Bench.EtlBenchmarks;

/// <summary>The broker's own client in a loop, in transactions as large as the server's batches, each with one more message.</summary>
internal sealed class KafkaRawProducer(SharedKafka kafka, long documents) : RawSender<SharedKafka>(RowName, kafka, documents)
{
    public const string RowName = "raw producer";

    /// <summary>As many as a batch of a task has at most.</summary>
    public const int MessagesPerTransaction = 1024;

    protected override async Task DeclareAsync(string target, CancellationToken cancel)
    {
        using var admin = new AdminClientBuilder(new AdminClientConfig { BootstrapServers = Broker.BootstrapServers }).Build();
        await admin.CreateTopicsAsync([Spec(target), Spec(target + "-positions")]);
    }

    protected override Task SendAsync(string target, CancellationToken cancel)
    {
        Produce(target, cancel);
        return Task.CompletedTask;
    }

    private static TopicSpecification Spec(string name) =>
        new()
        {
            Name = name,
            NumPartitions = 1,
            ReplicationFactor = 1,
        };

    private void Produce(string target, CancellationToken cancel)
    {
        using var producer = new ProducerBuilder<byte[], byte[]>(
            new ProducerConfig
            {
                BootstrapServers = Broker.BootstrapServers,
                TransactionalId = target,
                EnableIdempotence = true,
                Acks = Acks.All,
                Partitioner = Partitioner.Murmur2Random,
                DeliveryReportFields = "none",
                QueueBufferingMaxMessages = 1_000_000,
            }
        ).Build();
        producer.InitTransactions(TimeSpan.FromSeconds(30));
        for (long first = 0; first < Documents; first += MessagesPerTransaction)
        {
            cancel.ThrowIfCancellationRequested();
            producer.BeginTransaction();
            int failed = 0;
            void Report(DeliveryReport<byte[], byte[]> report)
            {
                if (report.Error.IsError)
                    Interlocked.Increment(ref failed);
            }
            for (long i = first; i < Math.Min(Documents, first + MessagesPerTransaction); i++)
                producer.Produce(target, Message(i), Report);
            producer.Produce(target + "-positions", new Message<byte[], byte[]> { Key = "all"u8.ToArray(), Value = new byte[250] }, Report);
            producer.Flush(cancel);
            producer.CommitTransaction();
            if (failed > 0)
                throw new IOException($"{failed} messages were not delivered");
        }
    }

    private Message<byte[], byte[]> Message(long i)
    {
        byte[] id = Encoding.UTF8.GetBytes($"A:{i}-0123456789012345678901");
        byte[] document = Encoding.UTF8.GetBytes($"items/{i}");
        return new Message<byte[], byte[]>
        {
            Key = document,
            Value = Bodies.Create(i),
            Headers = new Headers
            {
                { "ce_specversion", "1.0"u8.ToArray() },
                { "ce_id", id },
                { "ce_source", "urn:jackdaw:00000000-0000-0000-0000-000000000000:bench-task-1"u8.ToArray() },
                { "ce_type", "ravendb.etl.put"u8.ToArray() },
                { "ce_subject", document },
                { "ce_time", "2030-01-01T00:00:00.0000000Z"u8.ToArray() },
                { "ce_partitionkey", document },
                { "ce_etag", Encoding.ASCII.GetBytes(i.ToString(CultureInfo.InvariantCulture)) },
                { "ce_attempt", "1"u8.ToArray() },
                { "content-type", "application/json"u8.ToArray() },
            },
        };
    }
}
