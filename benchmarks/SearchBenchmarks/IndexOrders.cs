using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.SearchBenchmarks;

internal sealed class IndexOrders : Benchmark
{
    public override string Name => "index-orders";

    public override string Group => Catalogue.Search;

    public override string Measures =>
        "building one automatic index of four fields over orders that are there; PostgreSQL: COPY of the four fields into a table with "
        + "four indexes";

    public override IReadOnlyList<Target> Targets =>
        [
            Target.ValueAtLeast(ServerContender.Jackdaw, Metric.Rate, 60_000),
            Target.RatioAtLeast(ServerContender.Jackdaw, 1, Metric.Rate, PostgreSqlIndexedCopy.RowName(PostgreSqlOrders.FourColumns)),
        ];

    public override string Sizes(RunSettings settings) => $"{OrdersServer.Orders(settings):N0} orders of 1 KB";

    public override long DiskBytesNeeded(RunSettings settings) => 8 * OrdersServer.Orders(settings) * 1024;

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [
            new ServerIndexing(OrdersServer.Orders(settings)),
            new PostgreSqlIndexedCopy(OrdersServer.Orders(settings), PostgreSqlOrders.FourColumns),
        ];
}
