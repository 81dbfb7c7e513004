using Jackdaw.Bench.ActorBenchmarks;
using Jackdaw.Bench.CloudBenchmarks;
using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.EtlBenchmarks;
using Jackdaw.Bench.EventBenchmarks;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.SearchBenchmarks;
using Jackdaw.Bench.StorageBenchmarks;

namespace Jackdaw.Bench.Frame;

/// <summary>All benchmarks, in the order in which they are listed and run.</summary>
internal static class Catalogue
{
    public const string Storage = "storage";
    public const string Documents = "documents";
    public const string Etl = "etl";
    public const string Search = "search";
    public const string Events = "events";
    public const string Actors = "actors";
    public const string Cloud = "cloud";

    public static IReadOnlyList<Benchmark> All { get; } =
    [
        new SingleWriter(),
        new ManyWriters(IdOrder.Random),
        new ManyWriters(IdOrder.Ascending),
        new AsynchronousCommit(),
        new SteadyLatency(),
        new ColdMapping(),
        new Recovery(),
        new Space(),
        new HttpPut(),
        new HttpGet(),
        new TlsRequests(HttpLoadKind.GetRandom),
        new TlsRequests(HttpLoadKind.PutDistinct),
        new TlsHandshakes(),
        new BulkInsert(),
        new PutDuringBulkInsert(),
        new PutBesideReads(),
        new PutBesideExpiry(),
        new Memory(),
        new IdleChanges(),
        new Restart(),
        new ManyDatabases(),
        new RabbitMqDelivery(),
        new AzureSends(),
        new PutWhileTaskLags(),
        new Transforms(),
        new KafkaDelivery(),
        new KafkaLatency(),
        new IndexOrders(),
        new OrderedQuery(),
        new TermQueries(matches: 1),
        new TermQueries(matches: 25),
        new IndexPlaces(),
        new SixIndexes(),
        new IndexLag(),
        new RangeQueries(),
        new IndexMemory(),
        new GrownIndex(),
        new DateParsing(),
        new AppendGroups(),
        new AppendOne(),
        new LiveLatency(),
        new LiveReaders(),
        new EventsByTag(),
        new SnapshotBesideWriters(),
        new ActorPersist(),
        new ActorRow("persist-all", "PersistAll of 50 events at a time, one actor", 0.2),
        new ActorRow("persist-async", "PersistAsync, one actor", 0.35),
        new ActorRow("persist-all-async", "PersistAllAsync of 50 events at a time, one actor", 0.3),
        new ActorRow("group-100", "Persist, 100 actors at once", 0.15),
        new ActorRow("group-200", "Persist, 200 actors at once", 0.2),
        new ActorRow("recover-1", "recovering one actor from all of its events", 1),
        new ActorRow("recover-4", "recovering four actors at once, all the events of its own each", 0.4),
        new FunctionLatency(),
        new ReadModelRate(),
    ];

    /// <summary>The commands, in order.</summary>
    public static IReadOnlyList<string> Groups { get; } = [Storage, Documents, Etl, Search, Events, Actors, Cloud];

    public static IReadOnlyList<Benchmark> InGroup(string group) => [.. All.Where(b => b.Group == group)];
}
