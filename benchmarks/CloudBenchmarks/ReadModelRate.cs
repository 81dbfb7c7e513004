using Jackdaw.Bench.EtlBenchmarks;
using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.CloudBenchmarks;

internal sealed class ReadModelRate : Benchmark
{
    public override string Name => "read-model-rate";

    public override string Group => Catalogue.Cloud;

    public override string Measures =>
        "orders of 1 KB from the first one's insertion until the read model has the last one's view, by way of a task, Kafka, and functions in "
        + "batches of 128, as host.json asks, which have joined their group and handled orders before; beside it the bulk insert of the same orders alone";

    public override IReadOnlyList<Target> Targets =>
        [Target.RatioAtLeast(CloudContender.StandIn, 0.3, Metric.Rate, OrderInsert.RowName) with { NeedsFullRun = true }];

    public override string Sizes(RunSettings settings) => $"{Orders(settings):N0} orders";

    public override long DiskBytesNeeded(RunSettings settings) => 4L << 30;

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [new OrdersToReadModel(new SharedAzurite(), new SharedKafka(), Orders(settings)), new OrderInsert(Orders(settings))];

    private static long Orders(RunSettings settings) => settings.Pick(50_000, 5_000);
}
