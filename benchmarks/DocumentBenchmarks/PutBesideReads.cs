using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;

namespace Jackdaw.Bench.DocumentBenchmarks;

internal sealed class PutBesideReads : Benchmark
{
    private const int Connections = 16;
    private const double FullSeconds = 20,
        QuickSeconds = 1;

    public override string Name => "put-beside-reads";

    public override string Group => Catalogue.Documents;

    public override string Measures =>
        "durable PUTs of 1 KB documents, 16 connections, beside four requests that each go over a million documents, again and again: "
        + "a list of all, a pattern that fits nothing, a total that is counted, an order by id with a large offset";

    public override IReadOnlyList<Target> Targets =>
        [Target.RatioAtLeast(ServerPutsBesideReads.WithReads, 0.8, Metric.Rate, ServerPutsBesideReads.Alone)];

    public override string Sizes(RunSettings settings) =>
        $"{Documents(settings):N0} documents, "
        + $"{settings.Duration(FullSeconds, QuickSeconds).TotalSeconds:0} s a run, {HttpLoadGenerator.Description}";

    public override long DiskBytesNeeded(RunSettings settings) => settings.Pick(40L << 30, 4L << 30);

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [
            new ServerPutsBesideReads(
                ServerPutsBesideReads.WithReads,
                Documents(settings),
                hasReads: true,
                Connections,
                FullSeconds,
                QuickSeconds
            ),
            new ServerPutsBesideReads(
                ServerPutsBesideReads.Alone,
                Documents(settings),
                hasReads: false,
                Connections,
                FullSeconds,
                QuickSeconds
            ),
        ];

    private static long Documents(RunSettings settings) => settings.Pick(1_000_000, 50_000);
}
