using System.Diagnostics;
using System.Globalization;
using System.Text.Unicode;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.Peers;

/// <summary>LMDB with the same documents under the same ids, a fixed number of puts a durable transaction, one thread.</summary>
/// <param name="order">Random: replaces loaded documents. Ascending: adds after them, to a newly loaded environment each run.</param>
/// <param name="putsPerTransaction">Puts a commit.</param>
/// <param name="documents">Loaded before.</param>
/// <param name="fullSeconds">Length of a run.</param>
/// <param name="quickSeconds">Length of a run in quick mode.</param>
internal sealed class LmdbPuts(
    IdOrder order,
    int putsPerTransaction,
    Func<RunSettings, long> documents,
    double fullSeconds,
    double quickSeconds
) : Contender(RowName)
{
    public const string RowName = "lmdb";
    private const long MapSize = 64L << 30;
    private const int LoadBatch = 10_000;
    private readonly DocumentBodies _bodies = new();
    private LmdbEnvironment? _environment;

    public override Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        if (order == IdOrder.Random)
            _environment = Load(context, cancel);
        return Task.CompletedTask;
    }

    public override Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        if (order == IdOrder.Random)
            return Task.FromResult(Measure(_environment!, context, cancel));
        using LmdbEnvironment fresh = Load(context, cancel);
        FileSystem.Sync(context.Directory);
        return Task.FromResult(Measure(fresh, context, cancel));
    }

    public override Task CloseAsync()
    {
        _environment?.Dispose();
        return Task.CompletedTask;
    }

    private LmdbEnvironment Load(RunContext context, CancellationToken cancel)
    {
        string directory = Path.Combine(context.Directory, "lmdb");
        Workspace.Remove(directory);
        Directory.CreateDirectory(directory);
        long count = documents(context.Settings);
        using (var loading = new LmdbEnvironment(directory, MapSize, durable: false))
        {
            for (long first = 0; first < count; first += LoadBatch)
            {
                cancel.ThrowIfCancellationRequested();
                context.Progress($"loading {first:N0} of {count:N0}");
                PutBatch(loading, first, (int)Math.Min(LoadBatch, count - first), n => n);
            }
            loading.Sync();
        }
        return new LmdbEnvironment(directory, MapSize, durable: true);
    }

    private Sample Measure(LmdbEnvironment environment, RunContext context, CancellationToken cancel)
    {
        TimeSpan duration = context.Settings.Duration(fullSeconds, quickSeconds);
        long loaded = documents(context.Settings);
        var random = new Random(context.Round);
        var latencies = new LatencyHistogram();
        long next = loaded,
            done = 0;
        TimeSpan cpu = Environment.CpuUsage.TotalTime;
        var clock = Stopwatch.StartNew();
        while (clock.Elapsed < duration && !cancel.IsCancellationRequested)
        {
            long start = Stopwatch.GetTimestamp();
            PutBatch(environment, next, putsPerTransaction, n => order == IdOrder.Random ? random.NextInt64(loaded) : n);
            latencies.RecordSince(start);
            next += putsPerTransaction;
            done += putsPerTransaction;
        }
        return new Sample()
            .With(Metric.Rate, done / clock.Elapsed.TotalSeconds)
            .With(latencies)
            .With(Metric.PerWrite, putsPerTransaction)
            .With(Metric.Cpu, (Environment.CpuUsage.TotalTime - cpu).TotalMicroseconds / done);
    }

    private void PutBatch(LmdbEnvironment environment, long first, int count, Func<long, long> idOf)
    {
        Span<byte> key = stackalloc byte[32];
        Span<byte> body = stackalloc byte[DocumentBodies.Size];
        nint transaction = environment.BeginWrite();
        for (long n = first; n < first + count; n++)
        {
            if (!Utf8.TryWrite(key, CultureInfo.InvariantCulture, $"{DocumentIds.Prefix}{idOf(n):D10}", out int length))
                throw new InvalidOperationException("an id is longer than planned");
            _bodies.Write(n, body);
            environment.Put(transaction, key[..length], body);
        }
        LmdbEnvironment.Commit(transaction);
    }
}
