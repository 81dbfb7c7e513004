using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.SearchBenchmarks;

internal sealed class IndexMemory : Benchmark
{
    public override string Name => "index-memory";

    public override string Group => Catalogue.Search;

    public override string Measures => "memory of the server process after indexing eight fields of orders, and after queries";

    public override IReadOnlyList<Target> Targets =>
        [
            Target.ValueAtMost(ServerContender.Jackdaw, Metric.ManagedHeap, 250),
            Target.ValueAtMost(ServerContender.Jackdaw, Metric.AnonymousMemory, 700),
        ];

    public override int Runs(RunSettings settings) => 1;

    public override string Sizes(RunSettings settings) => $"{OrdersServer.Orders(settings):N0} orders of 1 KB";

    public override long DiskBytesNeeded(RunSettings settings) => 8 * OrdersServer.Orders(settings) * 1024;

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [new ServerIndexMemory(OrdersServer.Orders(settings))];
}
