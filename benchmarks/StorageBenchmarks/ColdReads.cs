using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.StorageBenchmarks;

/// <summary>Writers of new documents on a store that was closed, dropped from the page cache and opened again, with or without a
/// reader of the old ones.</summary>
internal sealed class ColdReads(string name, bool withReading, long documents, double fullSeconds, double quickSeconds)
    : StoreContender(name, new StoreOptions())
{
    public const string WithReading = "jackdaw, cold reads beside";
    public const string Without = "jackdaw, writers alone";
    private const int Writers = 16;
    private static readonly Metric Reads = new("cold reads", "/s");
    private long _added;

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        await OpenNewAsync(context);
        await LoadAsync(context, documents, cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        await CloseAsync();
        foreach (string file in Directory.EnumerateFiles(DataDirectory(context), "data", SearchOption.AllDirectories))
            FileSystem.DropFromCache(file);
        await ReopenAsync(context);
        using var enough = CancellationTokenSource.CreateLinkedTokenSource(cancel);
        Task<long> reading = withReading
            ? Task.Factory.StartNew(
                () => ReadAll(Store, context.Round, enough.Token),
                cancel,
                TaskCreationOptions.LongRunning,
                TaskScheduler.Default
            )
            : Task.FromResult(0L);
        WriteResult writes = await ClosedLoopWriters.RunAsync(
            Store,
            Writers,
            context.Settings.Duration(fullSeconds, quickSeconds),
            _ => documents + Interlocked.Increment(ref _added) - 1,
            cancel
        );
        await enough.CancelAsync();
        long read = await reading;
        Sample sample = new Sample().With(Metric.Rate, writes.Rate).With(writes.Latencies);
        return withReading ? sample.With(Reads, read / writes.Seconds) : sample;
    }

    // Random ids, so that hardly two reads in a row are of one page and the disk's read-ahead helps little.
    private long ReadAll(EngineStore store, int seed, CancellationToken enough)
    {
        var random = new Random(seed);
        long read = 0;
        for (; !enough.IsCancellationRequested; read++)
        {
            string id = DocumentIds.Of(random.NextInt64(documents));
            if (store.Read(id) is null)
                throw new IOException($"{id} was loaded and is not there");
        }
        return read;
    }
}
