using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.ActorBenchmarks;

/// <summary>A row of JournalPerfSpec, beside the journal in memory that uses the same serializer.</summary>
/// <param name="row">Its name: that of the benchmark.</param>
/// <param name="measures">One sentence.</param>
/// <param name="share">Of the rate of the journal in memory that is to be reached.</param>
internal sealed class ActorRow(string row, string measures, double share) : Benchmark
{
    public const string Memory = "memory, same serializer";
    public const string BatchingSqlite = "batching sqlite";
    public const string Sqlite = "sqlite";

    // The counts of JournalPerfSpec.
    private const int FullEvents = 10_000,
        QuickEvents = 1_000;
    private const double FullSeconds = 1.5,
        QuickSeconds = 0.2;

    public override string Name => row;

    public override string Group => Catalogue.Actors;

    public override string Measures =>
        measures
        + "; by the measurements of JournalPerfSpec. The actors are in a process of their own. The journal in memory makes bytes of each event and "
        + "events of bytes by the serializer that the durable journals use; server and actors share the cores";

    public override IReadOnlyList<Target> Targets => [Target.RatioAtLeast(ServerContender.Jackdaw, share, Metric.Rate, Memory)];

    public override string Sizes(RunSettings settings) =>
        $"{Events(settings):N0} events, again and again for {Duration(settings).TotalSeconds:0.0} s a run";

    public override long DiskBytesNeeded(RunSettings settings) => 4L << 30;

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [
            new ActorsOnServer(ServerContender.Jackdaw, row, Events(settings), Duration(settings)),
            new ActorsOnPeer(Memory, "memory", row, Events(settings), Duration(settings)),
            new ActorsOnPeer(BatchingSqlite, "batching-sqlite", row, Events(settings), Duration(settings)),
        ];

    private static int Events(RunSettings settings) => settings.Pick(FullEvents, QuickEvents);

    private static TimeSpan Duration(RunSettings settings) => settings.Duration(FullSeconds, QuickSeconds);
}
