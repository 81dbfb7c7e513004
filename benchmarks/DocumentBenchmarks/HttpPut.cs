using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;

namespace Jackdaw.Bench.DocumentBenchmarks;

internal sealed class HttpPut : Benchmark
{
    private const int Connections = 64;
    private const double FullSeconds = 30,
        QuickSeconds = 1;

    public override string Name => "put";

    public override string Group => Catalogue.Documents;

    public override string Measures => "durable PUTs of 1 KB documents over HTTP, each under an id of its own, 64 connections";

    public override IReadOnlyList<Target> Targets =>
        [
            Target.RatioAtLeast(ServerContender.Jackdaw, 2, Metric.Rate, PostgreSqlInserts.RowName(16), PostgreSqlInserts.RowName(64)),
            Target.RatioAtLeast(ServerContender.Jackdaw, 0.65, Metric.Rate, SkeletonPuts.RowName),
        ];

    public override string Sizes(RunSettings settings) =>
        $"{settings.Duration(FullSeconds, QuickSeconds).TotalSeconds:0} s a run, "
        + $"{HttpLoadGenerator.Description}, PostgreSQL by pgbench (prepared, TCP)";

    public override long DiskBytesNeeded(RunSettings settings) => settings.Pick(40L << 30, 4L << 30);

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [
            new ServerPuts(Connections, FullSeconds, QuickSeconds),
            new SkeletonPuts(Connections, FullSeconds, QuickSeconds),
            new PostgreSqlInserts(16, FullSeconds, QuickSeconds),
            new PostgreSqlInserts(64, FullSeconds, QuickSeconds),
            new NpmPuts(Connections, FullSeconds, QuickSeconds),
        ];
}
