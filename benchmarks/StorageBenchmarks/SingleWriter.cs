using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Peers;

namespace Jackdaw.Bench.StorageBenchmarks;

internal sealed class SingleWriter : Benchmark
{
    private const string ZeroFilled = "raw device, zero-filled file";
    private const string Recycled = "raw device, recycled file";
    private const double FullSeconds = 20,
        QuickSeconds = 1;

    public override string Name => "single-writer";

    public override string Group => Catalogue.Storage;

    public override string Measures =>
        "durable 1 KB puts through the merger by one writer; the raw device writes blocks of the size that the journal wrote";

    public override IReadOnlyList<Target> Targets =>
        [
            Target.RatioAtLeast(StoreContender.Jackdaw, 0.85, Metric.Rate, ZeroFilled, Recycled),
            Target.ValueAtMost(StoreContender.Jackdaw, Metric.WriteSize, 8192),
        ];

    public override string Sizes(RunSettings settings) =>
        $"random ids over {Documents(settings):N0} documents, {settings.Duration(FullSeconds, QuickSeconds).TotalSeconds:0.#} s a run";

    public override long DiskBytesNeeded(RunSettings settings) => 4 * Documents(settings) * DocumentBodies.Size + (1L << 30);

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings)
    {
        int writeSize = 8192;
        var plan = new PutPlan(Writers: 1, IdOrder.Random, Documents(settings), settings.Duration(FullSeconds, QuickSeconds))
        {
            TellWriteSize = size => writeSize = size,
        };
        return
        [
            new StorePuts(StoreContender.Jackdaw, plan),
            new RawDevice(ZeroFilled, RawFile.ZeroFilled, () => writeSize, FullSeconds, QuickSeconds),
            new RawDevice(Recycled, RawFile.Recycled, () => writeSize, FullSeconds, QuickSeconds),
        ];
    }

    private static long Documents(RunSettings settings) => settings.Pick(100_000, 20_000);
}
