using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.SearchBenchmarks;

internal sealed class OrderedQuery : Benchmark
{
    private const string Walk = ServerContender.Jackdaw + ", all orders by total";
    private const string Heap = ServerContender.Jackdaw + ", a fifth of them by total";
    private const string Union = ServerContender.Jackdaw + ", a range of several values";

    public override string Name => "query-ordered";

    public override string Group => Catalogue.Search;

    public override string Measures =>
        "the first 25 of all orders with a total above 0 by that total, with the exact number of matches; the same of the orders of one status; "
        + "the exact number in a range of a field with several values; one connection over HTTP";

    public override IReadOnlyList<Target> Targets =>
        [Target.ValueAtMost(Walk, Metric.P50, 1), Target.ValueAtMost(Heap, Metric.P50, 10), Target.ValueAtMost(Union, Metric.P50, 40)];

    public override string Sizes(RunSettings settings) => $"{OrdersServer.Orders(settings):N0} orders of 1 KB";

    public override long DiskBytesNeeded(RunSettings settings) => 20 * OrdersServer.Orders(settings) * 1024;

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings)
    {
        long orders = OrdersServer.Orders(settings);
        return
        [
            new ServerQueries(Walk, orders, 1, "from Orders where Total > 0 order by Total as double desc limit 25", 1, 0, orders),
            new ServerQueries(
                Heap,
                orders,
                1,
                "from Orders where Status = 'Paid' order by Total as double desc limit 25",
                1,
                0,
                orders / 6
            ),
            new ServerQueries(Union, orders, 1, "from Orders where Weights > 0 limit 25", 1, 0, orders),
        ];
    }
}
