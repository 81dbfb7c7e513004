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
        new BulkInsert(),
        new PutDuringBulkInsert(),
        new PutBesideReads(),
        new Memory(),
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
        new AppendGroups(),
        new AppendOne(),
        new LiveLatency(),
        new LiveReaders(),
        new EventsByTag(),
    ];

    /// <summary>The commands, in order.</summary>
    public static IReadOnlyList<string> Groups { get; } = [Storage, Documents, Etl, Search, Events];

    public static IReadOnlyList<Benchmark> InGroup(string group) => [.. All.Where(b => b.Group == group)];
}
