using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.SearchBenchmarks;

internal sealed class IndexLag : Benchmark
{
    private const double Offered = 10_000;
    private const double FullSeconds = 6,
        QuickSeconds = 2;
    private const string Steady = ServerContender.Jackdaw + ", 10,000/s, three indexes";
    private const string SteadyAlone = ServerContender.Jackdaw + ", 10,000/s, no index";
    private const string Full = ServerContender.Jackdaw + ", full speed, three indexes";
    private const string FullAlone = ServerContender.Jackdaw + ", full speed, no index";

    public override string Name => "index-lag";

    public override string Group => Catalogue.Search;

    public override string Measures =>
        "PUTs of orders, half of them updates, 32 connections, beside three automatic indexes of four fields: 10,000 a second offered, and as "
        + "many as are answered. Lag: from the answer of a PUT to the first look that finds its etag in all three indexes, a look every 2 ms; "
        + "at 10,000 a second a PUT's latency counts from the moment at which it was due. The built-in generator sends all of it";

    public override IReadOnlyList<Target> Targets =>
        [
            Target.ValueAtLeast(Steady, Metric.Rate, 0.99 * Offered),
            Target.ValueAtMost(Steady, ServerPutsBesideIndexes.LagP50, 25),
            Target.ValueAtMost(Steady, ServerPutsBesideIndexes.LagP99, 100),
            Target.RatioAtMost(Steady, 2, Metric.P99, SteadyAlone),
            Target.RatioAtLeast(Full, 0.5, Metric.Rate, FullAlone),
            // Bounded: it does not grow while the writers go on.
            Target.WithinAtMost(Full, ServerPutsBesideIndexes.LastLag, 1.5, ServerPutsBesideIndexes.MiddleLag),
        ];

    public override string Sizes(RunSettings settings) =>
        $"{Orders(settings):N0} orders of 1 KB before, {settings.Duration(FullSeconds, QuickSeconds).TotalSeconds:0} s a run";

    public override long DiskBytesNeeded(RunSettings settings) => settings.Pick(40L << 30, 4L << 30);

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [
            Contender(settings, Steady, SeparateOrderIndexes.Three, Offered),
            Contender(settings, SteadyAlone, [], Offered),
            Contender(settings, Full, SeparateOrderIndexes.Three, rate: null),
            Contender(settings, FullAlone, [], rate: null),
        ];

    private static long Orders(RunSettings settings) => settings.Pick(300_000, 20_000);

    private static ServerPutsBesideIndexes Contender(RunSettings settings, string name, IReadOnlyList<string> queries, double? rate) =>
        new(name, Orders(settings), queries, rate, FullSeconds, QuickSeconds);
}
