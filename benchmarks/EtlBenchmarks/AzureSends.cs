using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.EtlBenchmarks;

internal sealed class AzureSends : Benchmark
{
    public override string Name => "azure";

    public override string Group => Catalogue.Etl;

    public override string Measures =>
        "processor time that a 1 KB document takes on its way through a script into an Azure queue (Azurite, which limits the rate)";

    public override IReadOnlyList<Target> Targets => [Target.RatioAtMost(ServerContender.Jackdaw, 1.5, Metric.Cpu, RawAzureSends.RowName)];

    public override string Sizes(RunSettings settings) =>
        $"{Documents(settings):N0} messages a run, 16 at once, a queue of its own each run";

    public override long DiskBytesNeeded(RunSettings settings) => 1L << 30;

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [
            // Each has an emulator of its own: one's messages would slow the other's down.
            new ServerToBroker(new SharedAzurite(), Documents(settings), "loadTo('TARGET', this);"),
            new RawAzureSends(new SharedAzurite(), Documents(settings)),
        ];

    private static long Documents(RunSettings settings) => settings.Pick(10_000, 1_000);
}
