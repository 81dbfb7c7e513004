using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.SearchBenchmarks;

/// <summary>A server with orders under PUTs of orders, with or without indexes that follow them.</summary>
internal sealed class ServerPutsBesideIndexes(
    string name,
    long orders,
    IReadOnlyList<string> queries,
    double? rate,
    double fullSeconds,
    double quickSeconds
) : OrdersServer(name, orders)
{
    /// <summary>Half of the writes were indexed so soon after their acknowledgement.</summary>
    public static readonly Metric LagP50 = new("lag p50", "ms", 1);

    /// <summary>99 of 100 writes were indexed so soon after their acknowledgement.</summary>
    public static readonly Metric LagP99 = new("lag p99", "ms", 1);

    /// <summary>The median lag of the writes in the second third of a run.</summary>
    public static readonly Metric MiddleLag = new("lag p50, second third", "ms", 1);

    /// <summary>The median lag of the writes in the last third of a run.</summary>
    public static readonly Metric LastLag = new("lag p50, last third", "ms", 1);

    private static readonly Metric s_mostBehind = new("most behind", "etags");
    private const int Connections = 32;

    private long _nextNew = orders;

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        IReadOnlyList<string> indexes = await LoadOrdersAsync(context, queries, cancel);
        foreach (string index in indexes)
            await Server.EnableIndexAsync(index, cancel);
        await Server.WaitForIndexesAsync(cancel);
        await MeasureAsync(context.Settings.Duration(3, 1), cancel);
    }

    public override Task<Sample> RunAsync(RunContext context, CancellationToken cancel) =>
        MeasureAsync(context.Settings.Duration(fullSeconds, quickSeconds), cancel);

    private async Task<Sample> MeasureAsync(TimeSpan duration, CancellationToken cancel)
    {
        var puts = new OrderPuts(Server.Url, ServerUnderTest.Database, Connections, rate, Count);
        var lastEtag = new TaskCompletionSource<long>();
        var meter = new IndexLagMeter(Server.Url);
        Task looking = queries.Count > 0 ? meter.RunAsync(lastEtag.Task, cancel) : Task.CompletedTask;
        var cpu = new CpuMeter(Server.ProcessId);
        OrderPutsResult result = await puts.RunAsync(_nextNew, duration, cancel);
        double cpuMicroseconds = cpu.MicrosecondsPer(result.Writes.Count);
        _nextNew = result.NextNew;
        lastEtag.SetResult(result.Writes[^1].Etag);
        await looking;
        Sample sample = new Sample()
            .With(Metric.Rate, result.Writes.Count / result.Seconds)
            .With(Metric.P50, result.Latencies.PercentileMs(50))
            .With(Metric.P99, result.Latencies.PercentileMs(99))
            .With(Metric.Cpu, cpuMicroseconds);
        if (queries.Count == 0)
            return sample;
        LatencyHistogram lags = IndexLags.Of(result.Writes, meter.Positions);
        return sample
            .With(LagP50, lags.PercentileMs(50))
            .With(LagP99, lags.PercentileMs(99))
            .With(MiddleLag, IndexLags.Of(result.Between(duration, 1 / 3.0, 2 / 3.0), meter.Positions).PercentileMs(50))
            .With(LastLag, IndexLags.Of(result.Between(duration, 2 / 3.0, 1), meter.Positions).PercentileMs(50))
            .With(s_mostBehind, IndexLags.MostBehind(result.Writes, meter.Positions));
    }
}
