using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.EventBenchmarks;

internal sealed class LiveReaders : Benchmark
{
    private const int Readers = 1_000;
    private const int Streams = 10_000;
    private const int Connections = 32;
    private const double FullSeconds = 4,
        QuickSeconds = 1;
    private const string Alone = ServerContender.Jackdaw + ", no reader";
    private const string Others = ServerContender.Jackdaw + ", 1,000 readers of other streams";
    private const string Following = ServerContender.Jackdaw + ", 1,000 readers, one stream each";

    public override string Name => "live-readers";

    public override string Group => Catalogue.Events;

    public override string Measures =>
        "durable events of 1 KB in groups of ten, 32 connections, 10,000 streams in turns, beside 1,000 live reads: of streams that nobody writes, "
        + "and each of one of these streams, so that a tenth of all events is sent to a reader. The readers read in the benchmark's process, on "
        + "the same cores";

    public override IReadOnlyList<Target> Targets =>
        [Target.RatioAtLeast(Others, 0.9, Metric.Rate, Alone), Target.RatioAtLeast(Following, 0.9, Metric.Rate, Alone)];

    public override string Sizes(RunSettings settings) => $"{settings.Duration(FullSeconds, QuickSeconds).TotalSeconds:0} s a run";

    public override long DiskBytesNeeded(RunSettings settings) => settings.Pick(40L << 30, 4L << 30);

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [
            Contender(Alone, readers: 0, isFollowing: false),
            Contender(Others, Readers, isFollowing: false),
            Contender(Following, Readers, isFollowing: true),
        ];

    private static ServerAppendsBesideReaders Contender(string name, int readers, bool isFollowing) =>
        new(name, readers, isFollowing, Connections, FullSeconds, QuickSeconds) { StreamsOfAThread = Streams / 2 };
}
