using System.Diagnostics;
using Jackdaw.Bench.EtlBenchmarks;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.FunctionHost;

namespace Jackdaw.Bench.CloudBenchmarks;

/// <summary>Orders by bulk insert, and their views by way of Kafka. Each run inserts further orders.</summary>
internal sealed class OrdersToReadModel(SharedAzurite azurite, SharedKafka kafka, long orders) : CloudContender(azurite)
{
    private static readonly TimeSpan LookInterval = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan Lost = TimeSpan.FromMinutes(10);

    private long _next;
    private bool _hasKafka;

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        await StartWithReadModelAsync(context, cancel);
        await kafka.StartAsync();
        _hasKafka = true;
        await Server.PutConnectionAsync(kafka.Connection, cancel);
        var task = EtlTaskBody.Define("orders", "kafka", "Kafka", $"loadTo('{Queue}', this);", OrderBodies.Collection);
        task["CloudEventsMode"] = "Structured";
        await Server.PutTaskAsync(task, cancel);
        await StartFunctionAsync("FromKafka", "Kafka", kafka.BootstrapServers, new HostOptions());
        // Neither what is compiled on the way nor the joining of the consumer group is measured.
        await InsertAsync(Math.Min(orders, 20_000), cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        context.Progress($"{orders:N0} orders on their way");
        var clock = Stopwatch.StartNew();
        await InsertAsync(orders, cancel);
        double seconds = clock.Elapsed.TotalSeconds;
        return new Sample().With(Metric.Rate, orders / seconds).With(Metric.Seconds, seconds);
    }

    public override async Task CloseAsync()
    {
        await base.CloseAsync();
        if (_hasKafka)
            await kafka.LetGoAsync();
        _hasKafka = false;
    }

    private async Task InsertAsync(long count, CancellationToken cancel)
    {
        await Server.BulkInsertAsync(new OrderBodies(), _next, count, cancel);
        _next += count;
        long began = Stopwatch.GetTimestamp();
        // Each order has a view and a marker.
        while (await Server.CountDocumentsAsync(ReadModel, cancel) < 2 * _next)
        {
            if (Stopwatch.GetElapsedTime(began) > Lost)
                throw new IOException($"the read model lacks views; the host: {Host.Output}");
            await Task.Delay(LookInterval, cancel);
        }
    }
}
