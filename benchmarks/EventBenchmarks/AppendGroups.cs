using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.EventBenchmarks;

internal sealed class AppendGroups : Benchmark
{
    private const int Connections = 32;
    private const int EventsOfAGroup = 10;
    private const double FullSeconds = 5,
        QuickSeconds = 1;
    private const string Appends = ServerContender.Jackdaw + ", appended events";
    private const string BulkInsert = ServerContender.Jackdaw + ", bulk insert";

    public override string Name => "append-groups";

    public override string Group => Catalogue.Events;

    public override string Measures =>
        "durable events of 1 KB appended over HTTP in groups of ten, one group a request, 32 connections, 2,000 streams; one bulk insert of the "
        + "same bytes as documents, until the answer that all are durable";

    public override IReadOnlyList<Target> Targets => [Target.RatioAtLeast(Appends, 0.5, Metric.Rate, BulkInsert)];

    public override string Sizes(RunSettings settings) =>
        $"{settings.Duration(FullSeconds, QuickSeconds).TotalSeconds:0} s of appends a run; {Documents(settings):N0} documents";

    public override long DiskBytesNeeded(RunSettings settings) => settings.Pick(40L << 30, 4L << 30);

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [
            new ServerAppends(Appends, Connections, EventsOfAGroup, FullSeconds, QuickSeconds),
            new ServerBulkInsert(Documents(settings), BulkInsert),
        ];

    private static long Documents(RunSettings settings) => settings.Pick(1_000_000, 50_000);
}
