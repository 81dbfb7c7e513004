using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;

namespace Jackdaw.Bench.DocumentBenchmarks;

internal sealed class PutDuringBulkInsert : Benchmark
{
    private const double FullSeconds = 30,
        QuickSeconds = 1;

    public override string Name => "put-during-bulk-insert";

    public override string Group => Catalogue.Documents;

    public override string Measures => "latency of durable PUTs on one connection while one bulk insert runs";

    public override IReadOnlyList<Target> Targets => [Target.ValueAtMost(ServerPutLatency.DuringLoad, Metric.P99, 5)];

    public override string Sizes(RunSettings settings) =>
        $"{settings.Duration(FullSeconds, QuickSeconds).TotalSeconds:0} s a run, {HttpLoadGenerator.Description}";

    public override long DiskBytesNeeded(RunSettings settings) => settings.Pick(60L << 30, 3L << 30);

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [
            new ServerPutLatency(ServerPutLatency.DuringLoad, withBulkInsert: true, FullSeconds, QuickSeconds),
            new ServerPutLatency(ServerPutLatency.Alone, withBulkInsert: false, FullSeconds, QuickSeconds),
        ];
}
