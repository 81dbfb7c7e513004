using System.Diagnostics;
using System.Globalization;
using System.Text;
using Confluent.Kafka;
using Confluent.Kafka.Admin;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.EtlBenchmarks;

/// <summary>The broker's own client in a loop: messages of the same size with the same headers, in transactions as large as the server's batches, each with one more message.</summary>
internal sealed class KafkaRawProducer(SharedKafka kafka, long documents) : Contender(RowName)
{
    public const string RowName = "raw producer";

    /// <summary>As many as a batch of a task has at most.</summary>
    public const int MessagesPerTransaction = 1024;

    private readonly DocumentBodies _bodies = new();
    private bool _isStarted;

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        await kafka.StartAsync();
        _isStarted = true;
        // What is compiled on the way is not measured.
        await RunAsync(context, cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        string target = $"bench-raw-{context.Round}";
        using (var admin = new AdminClientBuilder(new AdminClientConfig { BootstrapServers = kafka.BootstrapServers }).Build())
            await admin.CreateTopicsAsync([Spec(target), Spec(target + "-positions")]);
        var cpu = new CpuMeter(Environment.ProcessId);
        var clock = Stopwatch.StartNew();
        Produce(target, cancel);
        double seconds = clock.Elapsed.TotalSeconds;
        double cpuMicroseconds = cpu.MicrosecondsPer(documents);
        await kafka.RequireAndRemoveAsync(target, documents, cancel);
        return new Sample().With(Metric.Rate, documents / seconds).With(Metric.Seconds, seconds).With(Metric.Cpu, cpuMicroseconds);
    }

    public override async Task CloseAsync()
    {
        if (_isStarted)
            await kafka.LetGoAsync();
        _isStarted = false;
    }

    private static TopicSpecification Spec(string name) => new() { Name = name, NumPartitions = 1, ReplicationFactor = 1 };

    private void Produce(string target, CancellationToken cancel)
    {
        using var producer = new ProducerBuilder<byte[], byte[]>(new ProducerConfig
        {
            BootstrapServers = kafka.BootstrapServers,
            TransactionalId = target,
            EnableIdempotence = true,
            Acks = Acks.All,
            Partitioner = Partitioner.Murmur2Random,
            DeliveryReportFields = "none",
            QueueBufferingMaxMessages = 1_000_000,
        }).Build();
        producer.InitTransactions(TimeSpan.FromSeconds(30));
        for (long first = 0; first < documents; first += MessagesPerTransaction)
        {
            cancel.ThrowIfCancellationRequested();
            producer.BeginTransaction();
            int failed = 0;
            void Report(DeliveryReport<byte[], byte[]> report)
            {
                if (report.Error.IsError)
                    Interlocked.Increment(ref failed);
            }
            for (long i = first; i < Math.Min(documents, first + MessagesPerTransaction); i++)
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
            Value = _bodies.Create(i),
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
