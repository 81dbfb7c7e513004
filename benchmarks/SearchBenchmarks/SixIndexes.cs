using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.SearchBenchmarks;

internal sealed class SixIndexes : Benchmark
{
    private const int FullRuns = 3;
    private const string Together = ServerContender.Jackdaw + ", six at once";
    private const string OneByOne = ServerContender.Jackdaw + ", one after another";

    public override string Name => "six-indexes";

    public override string Group => Catalogue.Search;

    public override string Measures =>
        "building six automatic indexes of one collection, one field each (Number, Customer, Status, Total, OrderedAt, Tags), over orders "
        + "that are there, until none is stale: all at once, and each alone with the times added. They stay apart because each is disabled "
        + "while the others are made. PostgreSQL: COPY of these six columns and the id into an empty table that has five B-trees and, on "
        + "the array of tags, a GIN index, until it has committed. The server reads each order of 1 KB six times and writes no order; "
        + "PostgreSQL reads short rows once and writes the table, too";

    public override IReadOnlyList<Target> Targets =>
        [
            Target.RatioAtMost(Together, 1.25 / 2, Metric.Seconds, OneByOne),
            Target.RatioAtLeast(Together, 1, Metric.Rate, PostgreSqlIndexedCopy.RowName(PostgreSqlOrders.SixColumns)),
        ];

    public override int Runs(RunSettings settings) => Math.Min(settings.Runs, FullRuns);

    public override string Sizes(RunSettings settings) => $"{OrdersServer.Orders(settings):N0} orders of 1 KB";

    public override long DiskBytesNeeded(RunSettings settings) => 16 * OrdersServer.Orders(settings) * 1024;

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings)
    {
        long orders = OrdersServer.Orders(settings);
        return
        [
            new ServerSixIndexes(Together, orders, isTogether: true),
            new ServerSixIndexes(OneByOne, orders, isTogether: false),
            new PostgreSqlIndexedCopy(orders, PostgreSqlOrders.SixColumns),
        ];
    }
}
