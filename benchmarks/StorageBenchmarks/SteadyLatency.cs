using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Peers;

namespace Jackdaw.Bench.StorageBenchmarks;

internal sealed class SteadyLatency : Benchmark
{
    private const int Writers = 16;
    private const double FullSeconds = 60,
        QuickSeconds = 2;
    private const string Device = "raw device, recycled file";

    public override string Name => "steady-latency";

    public override string Group => Catalogue.Storage;

    public override string Measures =>
        $"latency of acknowledged writes by {Writers} writers while flush and "
        + "sync run; the raw device with nothing beside it, for its own outliers";

    public override IReadOnlyList<Target> Targets =>
        [
            Target.WithinAtMost(StoreContender.Jackdaw, Metric.P99, 5, Metric.P50),
            Target.WithinAtMost(StoreContender.Jackdaw, Metric.P999, 15, Metric.P50),
            Target.ValueAtMost(StoreContender.Jackdaw, Metric.Max, 50),
            Target.ValueAtLeast(StoreContender.Jackdaw, Metric.Syncs, 5) with
            {
                NeedsFullRun = true,
            },
            Target.ValueAtLeast(StoreContender.Jackdaw, Metric.Flushed, 90) with
            {
                NeedsFullRun = true,
            },
        ];

    public override string Sizes(RunSettings settings) =>
        $"random ids over {Documents(settings):N0} documents, {settings.Duration(FullSeconds, QuickSeconds).TotalSeconds:0.#} s a run"
        + (settings.Quick ? " (too short for five syncs)" : "");

    public override long DiskBytesNeeded(RunSettings settings) => 4 * Documents(settings) * DocumentBodies.Size + (4L << 30);

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings)
    {
        int writeSize = 16 << 10;
        var plan = new PutPlan(Writers, IdOrder.Random, Documents(settings), settings.Duration(FullSeconds, QuickSeconds))
        {
            TellWriteSize = size => writeSize = size,
        };
        return
        [
            new StorePuts(StoreContender.Jackdaw, plan),
            new RawDevice(Device, RawFile.Recycled, () => writeSize, fullSeconds: 10, quickSeconds: 1),
        ];
    }

    private static long Documents(RunSettings settings) => settings.Pick(1_000_000, 50_000);
}
