using Jackdaw.Documents;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Documents.Hosting;
using Jackdaw.Documents.Layout;
using Jackdaw.Documents.Merging;
using Jackdaw.Documents.Reading;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Storage;
using Jackdaw.Storage.Checking;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Journal;
using Jackdaw.Storage.Statistics;

namespace Jackdaw.Bench.UnderTest;

/// <summary>A database's host opened in this process, on a metered disk: the threads, merger and engine that the server has.</summary>
internal sealed class EngineStore : IAsyncDisposable
{
    private const string Purpose = "benchmark";
    private static readonly Guid DatabaseId = new("6a61636b-6461-7720-6265-6e63686d6b73");
    private static readonly TimeSpan SettlePause = TimeSpan.FromMilliseconds(50);

    // The check's word for the environment's own free-space pages, of which there are as many as the file's length asks for.
    private const string Bitmaps = "bitmap";

    // Nothing to flush or sync will ever be due, and memory takes all of it.
    private const long Never = 1L << 40;

    private readonly DatabaseHost _host;
    private readonly MeteredDisk _disk;
    private readonly Limits _limits = Limits.Default;

    private EngineStore(DatabaseHost host, MeteredDisk disk)
    {
        _host = host;
        _disk = disk;
    }

    /// <summary>Opens the store of the folder; creates it when there is none.</summary>
    public static EngineStore Open(string directory, StoreOptions options)
    {
        Directory.CreateDirectory(directory);
        var disk = new MeteredDisk(new LinuxDisk(directory));
        EnvironmentOptions storage = options.Flush
            ? new EnvironmentOptions()
            : new EnvironmentOptions
            {
                FlushThresholdBytes = Never,
                FlushInterval = TimeSpan.MaxValue,
                SyncThresholdBytes = Never,
                SyncInterval = TimeSpan.MaxValue,
                MaxScratchBytes = Never,
            };
        var host = new DatabaseHost(
            DatabaseId,
            disk,
            new HostOptions
            {
                Merger = new MergerOptions { DatabaseName = Purpose, AsynchronousCommit = options.AsynchronousCommit },
                Storage = storage with { Compression = CompressionOf(options.CompressedJournal) },
                TombstoneCleaningInterval = options.TombstoneCleaningInterval,
            },
            new ConsumerPositions(TimeProvider.System)
        );
        return new EngineStore(host, disk);
    }

    /// <summary>Documents at the last durable transaction.</summary>
    public long Count
    {
        get
        {
            using DocumentsReader reader = OpenRead();
            return reader.DocumentCount;
        }
    }

    /// <summary>Puts one document through the transaction merger; ends when it is durable. The bytes stay as they are until then.</summary>
    public async ValueTask PutAsync(string id, ReadOnlyMemory<byte> json)
    {
        BatchOperation operation = BatchOperation.Rent();
        PutCommand put = operation.AddPut();
        put.SetId(id);
        put.SetDocument(json, _limits);
        await _host.Merger.Submit(operation);
        operation.Return();
    }

    /// <summary>Puts documents as one operation, for loading.</summary>
    public async Task PutManyAsync(IReadOnlyList<KeyValuePair<string, byte[]>> documents)
    {
        BatchOperation operation = BatchOperation.Rent();
        foreach ((string id, byte[] json) in documents)
        {
            PutCommand put = operation.AddPut();
            put.SetId(id);
            put.SetDocument(json, _limits);
        }
        await _host.Merger.Submit(operation);
        operation.Return();
    }

    /// <summary>Deletes documents as one operation.</summary>
    public async Task DeleteManyAsync(IReadOnlyList<string> ids)
    {
        BatchOperation operation = BatchOperation.Rent();
        foreach (string id in ids)
            operation.AddDelete().SetId(id);
        await _host.Merger.Submit(operation);
        operation.Return();
    }

    /// <summary>Reads a document in a read transaction of its own, and each of its bytes.</summary>
    /// <returns>The sum of its bytes, or null when there is none.</returns>
    public long? Read(string id)
    {
        using DocumentsReader reader = OpenRead();
        if (!reader.TryGet(id, out Document document))
            return null;
        long sum = 0;
        foreach (byte value in document.Body)
            sum += value;
        return sum;
    }

    /// <summary>Counters since the store was opened.</summary>
    public StoreCounters Counters()
    {
        EnvironmentStatistics statistics = _host.Storage.GetStatistics();
        return new StoreCounters(
            statistics.JournalRecords,
            statistics.JournalBytesAppended,
            _disk.Statistics.Snapshot(IoKind.DataSync).Count,
            statistics.ScratchUsedBytes,
            _disk.Statistics.Snapshot(IoKind.DataWrite).Bytes,
            statistics.DataFileBytes
        );
    }

    /// <summary>Waits until everything durable is flushed and all tombstones that were there are cleaned.</summary>
    public async Task SettleAsync(bool cleanTombstones, CancellationToken cancel)
    {
        while (true)
        {
            EnvironmentStatistics statistics = _host.Storage.GetStatistics();
            if (
                statistics.FlushedTransaction == statistics.DurableTransaction
                && statistics.PendingCommits == 0
                && (!cleanTombstones || TombstoneCount() == 0)
            )
                return;
            _host.FlushSoon();
            await Task.Delay(SettlePause, cancel);
        }
    }

    /// <summary>Checks the whole store and counts the pages of its structures beyond one each.</summary>
    /// <exception cref="IOException">The check found something wrong.</exception>
    public long PagesBeyondOneAStructure()
    {
        CheckReport report = _host.Storage.Check([Schema.Documents, Schema.Tombstones]);
        if (!report.IsSound)
            throw new IOException("the check found: " + string.Join("; ", report.Findings.Take(10)));
        return report.Structures.Where(s => s.Kind != Bitmaps).Sum(s => Math.Max(0, s.PageCount - 1));
    }

    public async ValueTask DisposeAsync()
    {
        _host.BeginClose(new DatabaseDoesNotExistException(Purpose));
        await Task.Factory.StartNew(_host.EndClose, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
    }

    private static JournalCompression CompressionOf(bool? compressed) =>
        compressed switch
        {
            null => JournalCompression.WhenItPays,
            true => JournalCompression.Always,
            false => JournalCompression.Never,
        };

    private DocumentsReader OpenRead() => new(_host.Storage.BeginRead(Purpose), ended: null);

    private long TombstoneCount()
    {
        using DocumentsReader reader = OpenRead();
        return reader.TombstoneCount;
    }
}
