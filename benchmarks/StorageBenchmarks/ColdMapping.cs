using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;

namespace Jackdaw.Bench.StorageBenchmarks;

internal sealed class ColdMapping : Benchmark
{
    private const double FullSeconds = 20,
        QuickSeconds = 1;

    public override string Name => "cold-mapping";

    public override string Group => Catalogue.Storage;

    public override string Measures =>
        "latency of 16 writers while a thread reads documents of a data file "
        + "that the page cache has nothing of, against the same without reading";

    public override IReadOnlyList<Target> Targets => [Target.RatioAtMost(ColdReads.WithReading, 2, Metric.P99, ColdReads.Without)];

    public override string Sizes(RunSettings settings) =>
        $"{Documents(settings):N0} documents of 1 KB in the file, {settings.Duration(FullSeconds, QuickSeconds).TotalSeconds:0.#} s a run";

    public override long DiskBytesNeeded(RunSettings settings) => 2 * (2 * Documents(settings) * DocumentBodies.Size + (2L << 30));

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [
            new ColdReads(ColdReads.WithReading, withReading: true, Documents(settings), FullSeconds, QuickSeconds),
            new ColdReads(ColdReads.Without, withReading: false, Documents(settings), FullSeconds, QuickSeconds),
        ];

    private static long Documents(RunSettings settings) => settings.Pick(3_500_000, 100_000);
}
