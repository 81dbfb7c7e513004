using System.Diagnostics;
using System.Globalization;
using System.Text;
using Confluent.Kafka;
using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.EtlBenchmarks;

/// <summary>The server with a task that has nothing to do; a document now and then, and a consumer that waits for its message.</summary>
internal sealed class ServerToKafkaLatency(SharedKafka kafka, int documents) : ServerContender(Jackdaw)
{
    private const string Topic = "bench-latency";

    /// <summary>Between a message's arrival and the next document: the system is at rest again.</summary>
    public static readonly TimeSpan Gap = TimeSpan.FromMilliseconds(50);

    private static readonly TimeSpan Lost = TimeSpan.FromSeconds(30);

    private HttpClient? _client;
    private IConsumer<byte[], byte[]>? _consumer;
    private long _next;
    private bool _isStarted;

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        await StartNewAsync(context, cancel);
        await kafka.StartAsync();
        _isStarted = true;
        _client = new HttpClient();
        await Server.PutConnectionAsync(kafka.Connection, cancel);
        await PutAsync(cancel);
        long task = await Server.PutTaskAsync(
            EtlTaskBody.Define("latency", "kafka", "Kafka", $"loadTo('{Topic}', {{ n: this.n }});", "Items"),
            cancel
        );
        await Server.WaitForMessagesAsync(task, 1, cancel);
        _consumer = kafka.Consumer(Topic);
        await AwaitAsync(0, cancel);
        // What is compiled on the way is not measured.
        await RunAsync(context, cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        var latencies = new LatencyHistogram();
        for (int i = 0; i < documents; i++)
        {
            await Task.Delay(Gap, cancel);
            long n = _next;
            await PutAsync(cancel);
            long acknowledged = Stopwatch.GetTimestamp();
            await AwaitAsync(n, cancel);
            latencies.RecordSince(acknowledged);
        }
        return new Sample().With(latencies);
    }

    public override async Task CloseAsync()
    {
        _consumer?.Dispose();
        _consumer = null;
        await base.CloseAsync();
        if (_isStarted)
            await kafka.LetGoAsync();
        _isStarted = false;
        _client?.Dispose();
        _client = null;
    }

    private async Task PutAsync(CancellationToken cancel)
    {
        long n = _next++;
        using var content = new StringContent(
            $"{{\"n\":{n},\"@metadata\":{{\"@collection\":\"Items\"}}}}",
            Encoding.UTF8,
            "application/json"
        );
        using HttpResponseMessage answer = await _client!.PutAsync($"{Server.Url}/databases/bench/docs?id=items/{n}", content, cancel);
        answer.EnsureSuccessStatusCode();
    }

    private async Task AwaitAsync(long n, CancellationToken cancel)
    {
        string expected = string.Create(CultureInfo.InvariantCulture, $"{{\"n\":{n}}}");
        long began = Stopwatch.GetTimestamp();
        while (true)
        {
            cancel.ThrowIfCancellationRequested();
            ConsumeResult<byte[], byte[]>? result = _consumer!.Consume(TimeSpan.FromSeconds(1));
            if (result is { IsPartitionEOF: false } && Encoding.UTF8.GetString(result.Message.Value) == expected)
                return;
            if (Stopwatch.GetElapsedTime(began) > Lost)
                throw new IOException($"the message of document {n} did not come");
            await Task.Yield();
        }
    }
}
