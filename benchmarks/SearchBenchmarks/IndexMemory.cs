using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.SearchBenchmarks;

internal sealed class IndexMemory : Benchmark
{
    private const double FullSeconds = 60,
        QuickSeconds = 2;

    public override string Name => "index-memory";

    public override string Group => Catalogue.Search;

    public override string Measures =>
        "memory of the server process while five automatic indexes of eight fields of orders are built, again and again for a minute (the "
        + "highest figures that were seen, ten looks a second), and the longest pause of a collection of generation 2 in that minute";

    public override IReadOnlyList<Target> Targets =>
        [
            Target.ValueAtMost(ServerContender.Jackdaw, Metric.ManagedHeap, 250),
            Target.ValueAtMost(ServerContender.Jackdaw, Metric.AnonymousMemory, 700),
            Target.ValueAtMost(ServerContender.Jackdaw, ServerIndexMemory.LongestPause, 20),
        ];

    public override int Runs(RunSettings settings) => 1;

    public override string Sizes(RunSettings settings) =>
        $"{OrdersServer.Orders(settings):N0} orders of 1 KB, {Length(settings).TotalSeconds:0} s of indexing";

    public override long DiskBytesNeeded(RunSettings settings) => 12 * OrdersServer.Orders(settings) * 1024;

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [new ServerIndexMemory(OrdersServer.Orders(settings), Length(settings))];

    private static TimeSpan Length(RunSettings settings) => settings.Duration(FullSeconds, QuickSeconds);
}
