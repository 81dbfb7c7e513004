using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.DocumentBenchmarks;

internal sealed class TlsHandshakes : Benchmark
{
    public override string Name => "tls-connect";

    public override string Group => Catalogue.Documents;

    public override string Measures =>
        "new TLS connections with a client certificate and one request on each, for each second of the server's processor time";

    public override IReadOnlyList<Target> Targets =>
        [Target.RatioAtLeast(ServerContender.Jackdaw, 0.7, TlsConnects.PerCore, KestrelGets.RowName)];

    public override string Sizes(RunSettings settings) =>
        $"{settings.Duration(TlsConnects.FullSeconds, TlsConnects.QuickSeconds).TotalSeconds:0} s a run, RSA with 2,048 bits on both sides, "
        + "no session resumed, 8 clients";

    public override long DiskBytesNeeded(RunSettings settings) => 1L << 30;

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) => [new ServerConnects(), new KestrelConnects()];
}
