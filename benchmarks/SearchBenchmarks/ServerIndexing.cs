using System.Diagnostics;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.SearchBenchmarks;

/// <summary>The index is deleted and made again in each run, over documents that stay.</summary>
internal sealed class ServerIndexing(long orders) : OrdersServer(Jackdaw, orders)
{
    private const string Query = "from Orders where Customer = 'x' and Status = 'y' and Total > 5 and OrderedAt > '2024' limit 0";

    public override Task PrepareAsync(RunContext context, CancellationToken cancel) => LoadOrdersAsync(context, cancel);

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        await Server.DeleteIndexesAsync(cancel);
        var cpu = new CpuMeter(Server.ProcessId);
        var clock = Stopwatch.StartNew();
        await IndexAsync(context, Query, cancel);
        double seconds = clock.Elapsed.TotalSeconds;
        return new Sample().With(Metric.Rate, Count / seconds).With(Metric.Seconds, seconds).With(Metric.Cpu, cpu.MicrosecondsPer(Count));
    }
}
