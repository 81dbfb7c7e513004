using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Peers;

namespace Jackdaw.Bench.ActorBenchmarks;

internal sealed class ActorPersist : Benchmark
{
    private const string Row = "persist";
    private const string Raw = "raw device, recycled file";
    private const double MostAboveRawMs = 0.25;
    private const double FullSeconds = 3,
        QuickSeconds = 0.5;

    public override string Name => Row;

    public override string Group => Catalogue.Actors;

    public override string Measures =>
        "Persist, one actor, one event at a time, the next when the handler of the one before has run; p50 from Persist to its handler. The raw "
        + "device writes blocks of the size that the server's journal wrote";

    public override IReadOnlyList<Target> Targets =>
        [
            Target.AboveAtMost(ServerContender.Jackdaw, Metric.P50, MostAboveRawMs, Raw),
            Target.RatioAtLeast(ServerContender.Jackdaw, 3, Metric.Rate, ActorRow.Sqlite),
        ];

    public override string Sizes(RunSettings settings) => $"{Duration(settings).TotalSeconds:0.0} s a run";

    public override long DiskBytesNeeded(RunSettings settings) => 4L << 30;

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings)
    {
        int writeSize = RawDevice.Block;
        int events = settings.Pick(500, 100);
        return
        [
            new ActorsOnServer(ServerContender.Jackdaw, Row, events, Duration(settings)) { TellWriteSize = size => writeSize = size },
            new RawDevice(Raw, RawFile.Recycled, () => writeSize, FullSeconds, QuickSeconds),
            new ActorsOnPeer(ActorRow.Sqlite, "sqlite", Row, events, Duration(settings)),
            new ActorsOnPeer(ActorRow.BatchingSqlite, "batching-sqlite", Row, events, Duration(settings)),
            new ActorsOnPeer(ActorRow.Memory, "memory", Row, events, Duration(settings)),
        ];
    }

    private static TimeSpan Duration(RunSettings settings) => settings.Duration(FullSeconds, QuickSeconds);
}
