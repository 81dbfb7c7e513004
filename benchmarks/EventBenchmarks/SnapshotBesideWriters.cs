using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.EventBenchmarks;

internal sealed class SnapshotBesideWriters : Benchmark
{
    private const int Connections = 16;
    private const int SnapshotBytes = 200_000_000;
    private const double FullSeconds = 6,
        QuickSeconds = 2;
    private const string Beside = ServerContender.Jackdaw + ", snapshots are uploaded";
    private const string Alone = ServerContender.Jackdaw + ", no snapshot";

    public override string Name => "snapshot";

    public override string Group => Catalogue.Events;

    public override string Measures =>
        "durable appends of one event of 1 KB, 16 connections, while snapshots of 200 MB are uploaded one after another";

    public override IReadOnlyList<Target> Targets => [Target.RatioAtMost(Beside, 3, Metric.P99, Alone)];

    public override string Sizes(RunSettings settings) => $"{settings.Duration(FullSeconds, QuickSeconds).TotalSeconds:0} s a run";

    public override long DiskBytesNeeded(RunSettings settings) => 20L << 30;

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [
            new ServerAppendsBesideSnapshots(Beside, Connections, SnapshotBytes, FullSeconds, QuickSeconds),
            new ServerAppends(Alone, Connections, eventsOfAGroup: 1, FullSeconds, QuickSeconds),
        ];
}
