using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>The skeleton (Kestrel, a JSON parse and one merged direct write) under the same PUTs.</summary>
internal sealed class SkeletonPuts(int connections, double fullSeconds, double quickSeconds) : PeerContender(RowName)
{
    public const string RowName = "skeleton";

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        await StartAsync(cancel, "skeleton", "--file", Path.Combine(context.Directory, "writes"));
        await MeasureAsync(context, context.Settings.Duration(5, 1), cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        var cpu = new CpuMeter(ProcessId);
        HttpLoadResult result = await MeasureAsync(context, context.Settings.Duration(fullSeconds, quickSeconds), cancel);
        return result.ToSample().With(Metric.Cpu, cpu.MicrosecondsPer(result.Requests));
    }

    private Task<HttpLoadResult> MeasureAsync(RunContext context, TimeSpan duration, CancellationToken cancel) =>
        SendAsync(context, HttpLoadKind.PutDistinct, connections, duration, context.Round, documents: 0, cancel);
}
