using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.DocumentBenchmarks;

internal sealed class IdleChanges : Benchmark
{
    public override string Name => "changes-idle";

    public override string Group => Catalogue.Documents;

    public override string Measures =>
        "anonymous memory of the whole server process with idle sockets of the Changes API, each watching a document of its own: before them, "
        + "once the last is open, and after a rest; a bare Kestrel holds as many upgraded connections that wait for a byte";

    public override IReadOnlyList<Target> Targets => [Target.ValueAtMost(ServerContender.Jackdaw, Metric.AnonymousMemory, 100)];

    public override string Sizes(RunSettings settings) =>
        $"{IdleSocketMemory.Sockets(settings):N0} sockets, {IdleSocketMemory.Rest(settings).TotalSeconds:0} s of rest";

    public override long DiskBytesNeeded(RunSettings settings) => 64 << 20;

    public override int Runs(RunSettings settings) => 1;

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) => [new ServerIdleSockets(), new KestrelIdleSockets()];
}
