using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.StorageBenchmarks;

internal sealed class Recovery : Benchmark
{
    private const string Compressed = "jackdaw, compressed journal";
    private const string Plain = "jackdaw, plain journal";

    public override string Name => "recovery";

    public override string Group => Catalogue.Storage;

    public override string Measures => "opening a store whose whole journal has to be replayed, after a kill -9, in a process of its own";

    public override IReadOnlyList<Target> Targets =>
        [
            Target.ValueAtLeast(Compressed, Metric.Throughput, 200),
            Target.ValueAtLeast(Plain, Metric.Throughput, 400),
            Target.ValueAtMost(Compressed, CrashRecovery.Memory, 512),
            Target.ValueAtMost(Plain, CrashRecovery.Memory, 512),
        ];

    public override string Sizes(RunSettings settings) =>
        $"{JournalMegabytes(settings):N0} MB of journal; loads of 1 KB "
        + "documents, in operations of 1 MB (compressed) and one by one (plain)";

    public override long DiskBytesNeeded(RunSettings settings) => 8_000_000L * JournalMegabytes(settings);

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [
            new CrashRecovery(Compressed, compressed: true, JournalMegabytes(settings)),
            new CrashRecovery(Plain, compressed: false, JournalMegabytes(settings)),
        ];

    private static int JournalMegabytes(RunSettings settings) => settings.Pick(2_000, 100);
}
