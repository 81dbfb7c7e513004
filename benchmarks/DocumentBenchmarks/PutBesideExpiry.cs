using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;

namespace Jackdaw.Bench.DocumentBenchmarks;

internal sealed class PutBesideExpiry : Benchmark
{
    private const int Connections = 16;
    private const double FullSeconds = 30,
        QuickSeconds = 2;

    public override string Name => "put-beside-expiry";

    public override string Group => Catalogue.Documents;

    public override string Measures =>
        "latency of durable PUTs of 1 KB documents, 16 connections, while a million documents expire that were due at one moment; "
        + "the other contender has the same documents, and expiration is disabled";

    public override IReadOnlyList<Target> Targets =>
        [Target.RatioAtMost(ServerPutsBesideExpiry.WithExpiry, 2, Metric.P99, ServerPutsBesideExpiry.Alone)];

    public override string Sizes(RunSettings settings) =>
        $"{Documents(settings):N0} documents, "
        + $"{settings.Duration(FullSeconds, QuickSeconds).TotalSeconds:0} s a run, {HttpLoadGenerator.Description}";

    public override long DiskBytesNeeded(RunSettings settings) => settings.Pick(40L << 30, 4L << 30);

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [Contender(ServerPutsBesideExpiry.WithExpiry, expires: true), Contender(ServerPutsBesideExpiry.Alone, expires: false)];

    private static ServerPutsBesideExpiry Contender(string name, bool expires) =>
        new(name, expires, Documents, Connections, FullSeconds, QuickSeconds);

    private static long Documents(RunSettings settings) => settings.Pick(1_000_000, 50_000);
}
