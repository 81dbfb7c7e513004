using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;

namespace Jackdaw.Bench.DocumentBenchmarks;

internal sealed class Restart : Benchmark
{
    private const double FullSeconds = 30,
        QuickSeconds = 2;

    public override string Name => "restart";

    public override string Group => Catalogue.Documents;

    public override string Measures =>
        "from the start of the server to its first answered GET, after a kill -9 in the middle of 64 connections' PUTs";

    public override IReadOnlyList<Target> Targets => [Target.ValueAtMost(ServerContender.Jackdaw, Metric.Seconds, 5)];

    public override string Sizes(RunSettings settings) =>
        $"{settings.Duration(FullSeconds, QuickSeconds).TotalSeconds:0} s of "
        + $"PUTs before each kill, default limits, {HttpLoadGenerator.Description}";

    public override long DiskBytesNeeded(RunSettings settings) => settings.Pick(30L << 30, 2L << 30);

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) => [new ServerRestart(FullSeconds, QuickSeconds)];
}
