using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;

namespace Jackdaw.Bench.DocumentBenchmarks;

internal sealed class TlsRequests(HttpLoadKind kind) : Benchmark
{
    private const int Connections = 64;
    private const double FullSeconds = 20,
        QuickSeconds = 2;

    public override string Name => kind == HttpLoadKind.GetRandom ? "tls-get" : "tls-put";

    public override string Group => Catalogue.Documents;

    public override string Measures =>
        (kind == HttpLoadKind.GetRandom ? "GETs of one document by random id" : "durable PUTs of 1 KB documents")
        + " over TLS, 64 connections that stay open, against plain http; the client's side of TLS is on the same processors";

    public override IReadOnlyList<Target> Targets => [Target.RatioAtLeast(ServerRequests.OverTls, 0.75, Metric.Rate, ServerRequests.Plain)];

    public override string Sizes(RunSettings settings) =>
        $"{Documents(settings):N0} documents, {settings.Duration(FullSeconds, QuickSeconds).TotalSeconds:0} s a run, "
        + "load by the built-in generator";

    public override long DiskBytesNeeded(RunSettings settings) => settings.Pick(40L << 30, 4L << 30);

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [
            new ServerRequests(kind, true, Connections, Documents(settings), FullSeconds, QuickSeconds),
            new ServerRequests(kind, false, Connections, Documents(settings), FullSeconds, QuickSeconds),
            .. kind == HttpLoadKind.GetRandom ? Kestrel(settings) : [],
        ];

    private static Contender[] Kestrel(RunSettings settings) =>
        [
            new KestrelRequests(true, Connections, Documents(settings), FullSeconds, QuickSeconds),
            new KestrelRequests(false, Connections, Documents(settings), FullSeconds, QuickSeconds),
        ];

    private static long Documents(RunSettings settings) => settings.Pick(200_000, 20_000);
}
