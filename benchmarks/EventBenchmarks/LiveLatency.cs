using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.EventBenchmarks;

internal sealed class LiveLatency : Benchmark
{
    private const string Calm = ServerContender.Jackdaw + ", one writer";
    private const string Busy = ServerContender.Jackdaw + ", beside 32 writers at full speed";

    public override string Name => "live-latency";

    public override string Group => Catalogue.Events;

    public override string Measures =>
        "from the answer of an append of one event of 1 KB until its line is with a live reader of its stream; 0 where the reader had it first. The "
        + "writer appends the next event 2 ms after the reader had the one before; beside writers of other streams the figure informs only";

    public override IReadOnlyList<Target> Targets => [Target.ValueAtMost(Calm, Metric.P99, 10)];

    public override string Sizes(RunSettings settings) => $"{Events(settings):N0} events a run";

    public override long DiskBytesNeeded(RunSettings settings) => settings.Pick(20L << 30, 2L << 30);

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [new ServerLiveLatency(Calm, Events(settings), isBusy: false), new ServerLiveLatency(Busy, Events(settings), isBusy: true)];

    private static int Events(RunSettings settings) => settings.Pick(1_000, 100);
}
