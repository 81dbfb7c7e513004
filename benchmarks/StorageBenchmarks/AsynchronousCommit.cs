using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.StorageBenchmarks;

internal sealed class AsynchronousCommit : Benchmark
{
    private const double FullSeconds = 10,
        QuickSeconds = 0.5;
    private static readonly int[] WriterCounts = [1, 4, 16, 64, 256];
    private static readonly int[] QuickWriterCounts = [1, 64];

    public override string Name => "async-commit";

    public override string Group => Catalogue.Storage;

    public override string Measures =>
        "durable 1 KB puts with the next transaction running during the journal "
        + "write of the one before, against the same with that switched off";

    public override IReadOnlyList<Target> Targets =>
        [
            .. WriterCounts.Select(w =>
                Target.RatioAtLeast(RowName(w, true), w == 64 ? 1.25 : 0.9, Metric.Rate, RowName(w, false)) with
                {
                    NeedsFullRun = !QuickWriterCounts.Contains(w),
                }
            ),
        ];

    public override string Sizes(RunSettings settings) =>
        $"random ids over {Documents(settings):N0} documents, {settings.Duration(FullSeconds, QuickSeconds).TotalSeconds:0.#} s a run";

    public override long DiskBytesNeeded(RunSettings settings) =>
        2L * WriterCounts.Length * (4 * Documents(settings) * DocumentBodies.Size + (1L << 30));

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [
            .. settings
                .Pick(WriterCounts, QuickWriterCounts)
                .SelectMany(writers =>
                    new[] { true, false }.Select(asynchronous => new StorePuts(
                        RowName(writers, asynchronous),
                        new PutPlan(writers, IdOrder.Random, Documents(settings), settings.Duration(FullSeconds, QuickSeconds))
                        {
                            Options = new StoreOptions { AsynchronousCommit = asynchronous },
                            Settles = !settings.Quick,
                        }
                    ))
                ),
        ];

    private static string RowName(int writers, bool asynchronous) =>
        $"jackdaw, {writers} writers, {(asynchronous ? "asynchronous" : "synchronous")}";

    private static long Documents(RunSettings settings) => settings.Pick(100_000, 10_000);
}
