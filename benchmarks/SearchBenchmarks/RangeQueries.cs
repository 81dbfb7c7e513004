using System.Globalization;
using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.SearchBenchmarks;

/// <summary>A hundredth of the orders lie in each range; 25 of them are sent, with the exact number of matches.</summary>
internal sealed class RangeQueries : Benchmark
{
    private const int Connections = 16;

    public override string Name => "query-range";

    public override string Group => Catalogue.Search;

    public override string Measures =>
        "ranges of totals, a hundredth of the orders each, with the exact number of matches and 25 of them; PostgreSQL: the same with an index";

    public override IReadOnlyList<Target> Targets =>
        [Target.RatioAtLeast(ServerContender.Jackdaw, 10, Metric.Rate, PostgreSqlRanges.RowName)];

    public override string Sizes(RunSettings settings) =>
        string.Create(CultureInfo.InvariantCulture, $"{OrdersServer.Orders(settings):N0} orders of 1 KB, {Connections} connections");

    public override long DiskBytesNeeded(RunSettings settings) => 8 * OrdersServer.Orders(settings) * 1024;

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings)
    {
        long orders = OrdersServer.Orders(settings);
        // Totals lie evenly between 0 and 1,000,000 where there are a million orders.
        const string Query = "from Orders where Total between #N# and #M# limit 25";
        return
        [
            new ServerQueries(ServerContender.Jackdaw, orders, Connections, Query, 990_000, 9_000, orders / 1000),
            new PostgreSqlRanges(orders, Connections),
        ];
    }
}
