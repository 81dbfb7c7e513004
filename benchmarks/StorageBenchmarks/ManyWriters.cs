using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Peers;

namespace Jackdaw.Bench.StorageBenchmarks;

internal sealed class ManyWriters(IdOrder order) : Benchmark
{
    private const int Writers = 64;
    private const double FullSeconds = 60,
        QuickSeconds = 1;

    public override string Name => order == IdOrder.Random ? "many-writers-random" : "many-writers-ascending";

    public override string Group => Catalogue.Storage;

    public override string Measures =>
        $"durable 1 KB documents by {Writers} writers in process, "
        + $"{(order == IdOrder.Random ? "random" : "ascending")} ids; LMDB with {Writers} puts a transaction";

    public override IReadOnlyList<Target> Targets =>
        [
            Target.ValueAtLeast(StoreContender.Jackdaw, Metric.Rate, 100_000),
            Target.RatioAtLeast(StoreContender.Jackdaw, 1, Metric.Rate, LmdbPuts.RowName),
            Target.ValueAtLeast(StoreContender.Jackdaw, Metric.Syncs, 5) with
            {
                NeedsFullRun = true,
            },
        ];

    public override string Sizes(RunSettings settings) =>
        $"over {Documents(settings):N0} documents, {settings.Duration(FullSeconds, QuickSeconds).TotalSeconds:0.#} s a run"
        + (settings.Quick ? " (too short for five syncs)" : "");

    public override long DiskBytesNeeded(RunSettings settings) =>
        4 * Documents(settings) * DocumentBodies.Size + settings.Pick(order == IdOrder.Ascending ? 40L << 30 : 4L << 30, 2L << 30);

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [
            new StorePuts(
                StoreContender.Jackdaw,
                new PutPlan(Writers, order, Documents(settings), settings.Duration(FullSeconds, QuickSeconds))
            ),
            new LmdbPuts(order, Writers, Documents, FullSeconds, QuickSeconds),
        ];

    private static long Documents(RunSettings settings) => settings.Pick(1_000_000, 50_000);
}
