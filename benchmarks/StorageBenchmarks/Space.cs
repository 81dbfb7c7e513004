using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.StorageBenchmarks;

internal sealed class Space : Benchmark
{
    public override string Name => "space";

    public override string Group => Catalogue.Storage;

    public override string Measures =>
        "size of the data file after one load, after rewriting all documents ten times, and pages in use after deleting all";

    public override IReadOnlyList<Target> Targets =>
        [
            Target.WithinAtMost(StoreContender.Jackdaw, StoreSpace.AfterRewriting, 2, StoreSpace.AfterLoad),
            Target.ValueAtMost(StoreContender.Jackdaw, StoreSpace.PagesLeft, 0),
        ];

    /// <summary>Sizes hardly differ from round to round.</summary>
    public override int Runs(RunSettings settings) => 1;

    public override string Sizes(RunSettings settings) => $"{Documents(settings):N0} documents of 1 KB";

    public override long DiskBytesNeeded(RunSettings settings) => 4 * Documents(settings) * DocumentBodies.Size + (2L << 30);

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) => [new StoreSpace(Documents(settings))];

    private static long Documents(RunSettings settings) => settings.Pick(1_000_000, 10_000);
}
