using System.Globalization;
using System.Text.Json;
using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.SearchBenchmarks;

/// <summary>Queries of one term with a known number of matches, all of them sent.</summary>
internal sealed class TermQueries(int matches) : Benchmark
{
    private const int Connections = 16;

    public override string Name => string.Create(CultureInfo.InvariantCulture, $"query-term-{matches}");

    public override string Group => Catalogue.Search;

    public override string Measures =>
        $"queries of one term over HTTP, {matches} match{(matches == 1 ? "" : "es")}, {Connections} connections; the bare Kestrel endpoint answers the same bytes";

    public override IReadOnlyList<Target> Targets =>
        [Target.RatioAtLeast(ServerContender.Jackdaw, matches == 1 ? 0.5 : 0.4, Metric.Rate, KestrelQueries.RowName)];

    public override string Sizes(RunSettings settings) => $"{OrdersServer.Orders(settings):N0} orders of 1 KB";

    public override long DiskBytesNeeded(RunSettings settings) => 8 * OrdersServer.Orders(settings) * 1024;

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings)
    {
        long orders = OrdersServer.Orders(settings);
        string query = matches == 1 ? "from Orders where Number = #N#" : "from Orders where Customer = 'customers/#N#'";
        // Each customer has about 25 of a million orders.
        long numbers = matches == 1 ? orders : Math.Max(1, orders / 25);
        var answer = new AnswerBytes();
        string body = JsonSerializer.Serialize(new { Query = query });
        return
        [
            new ServerQueries(ServerContender.Jackdaw, orders, Connections, query, numbers, 0, least: 0, bytes => answer.Bytes = bytes),
            new KestrelQueries(answer, Connections, body, numbers),
        ];
    }
}
