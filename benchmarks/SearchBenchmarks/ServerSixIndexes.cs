using System.Diagnostics;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.SearchBenchmarks;

/// <summary>Six indexes over documents that stay, emptied before each run and enabled together or one after another.</summary>
internal sealed class ServerSixIndexes(string name, long orders, bool isTogether) : OrdersServer(name, orders)
{
    private IReadOnlyList<string> _indexes = [];

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel) =>
        _indexes = await LoadOrdersAsync(context, SeparateOrderIndexes.Six, cancel);

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        foreach (string index in _indexes)
            await Server.ResetIndexAsync(index, cancel);
        var cpu = new CpuMeter(Server.ProcessId);
        double seconds = isTogether ? await BuildAsync(_indexes, cancel) : 0;
        if (!isTogether)
        {
            foreach (string index in _indexes)
            {
                context.Progress($"indexing {index}");
                seconds += await BuildAsync([index], cancel);
            }
        }
        return new Sample().With(Metric.Rate, Count / seconds).With(Metric.Seconds, seconds).With(Metric.Cpu, cpu.MicrosecondsPer(Count));
    }

    /// <summary>The time until the last of the indexes is not stale. Each is disabled again afterwards.</summary>
    private async Task<double> BuildAsync(IReadOnlyList<string> indexes, CancellationToken cancel)
    {
        var clock = Stopwatch.StartNew();
        foreach (string index in indexes)
            await Server.EnableIndexAsync(index, cancel);
        foreach (string index in indexes)
            await Server.WaitForIndexAsync(index, cancel);
        double seconds = clock.Elapsed.TotalSeconds;
        foreach (string index in indexes)
            await Server.DisableIndexAsync(index, cancel);
        return seconds;
    }
}
