using Jackdaw.Storage.Data;
using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Flushing;
using Jackdaw.Storage.Headers;
using Jackdaw.Storage.Journal;
using Jackdaw.Storage.Memory;
using Jackdaw.Storage.Scratch;
using Jackdaw.Storage.Space;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage;

/// <summary>
/// A transactional, page-oriented store in one folder: one writer, any number of readers, snapshot isolation, asynchronous durable commits.
/// It has no threads: whoever opens it runs the steps (<see cref="RunJournalStep()"/>, <see cref="RunFlushStep"/>,
/// <see cref="RunSyncStep"/>, <see cref="RunSpareStep"/>), the last three from one thread at a time. Everything else is safe from any
/// thread.
/// docs/storage-format.md says what the files hold and why each step is safe.
/// </summary>
public sealed unsafe partial class StorageEnvironment : IDisposable
{
    private readonly Lock _lock = new();
    private readonly IDisk _disk;
    private readonly IDisposable _fileLock;
    private readonly HeaderFiles _headers;
    private readonly JournalWriter _journal;
    private readonly NativeArena _commitArena = new("commits");
    private readonly Queue<PendingCommit> _pending = new();
    private readonly LinkedList<ReadTransaction> _readers = new();
    private readonly BackedSpace _backed;
    private readonly WorkMemory _workMemory;
    private Snapshot _oldest;
    private Snapshot _durable;
    private Snapshot _latest;
    private WriteTransaction? _writer;
    private long _nextVersion;
    private Exception? _poison;
    private bool _disposed;

    internal StorageEnvironment(Recovery.EnvironmentParts parts, EnvironmentOptions options)
    {
        Invariant.Require(options.Durability != Durability.Lazy || options.LazyRecordBytes >= EnvironmentOptions.MinLazyRecordBytes);
        Options = options;
        _disk = parts.Disk;
        _fileLock = parts.FileLock;
        _headers = parts.Headers;
        _journal = parts.Journal;
        Data = parts.Data;
        _backed = new BackedSpace(Data.File);
        Scratch = new ScratchPool(
            "scratch of " + options.Name,
            options.ClearsScratch,
            Math.Min(options.MaxScratchBytes / 2, options.MaxKeptScratchBytes),
            options.Memory,
            options.ScratchAccount,
            options.ScratchReserve
        );
        MapNodes = new PageMapNodes("page map of " + options.Name);
        DirtyPages = new DirtyPages();
        _nextVersion = 2;
        _oldest =
            _durable =
            _latest =
                new Snapshot(1, parts.Position.TransactionId, default, parts.PageCount) { Position = parts.Position, IsJournaled = true };
        _synced = parts.Position;
        _syncedHeader = parts.Headers.Newest;
        _flushed = new FlushedState(parts.Position, parts.PageCount, 0);
        _lastFlushEnd = _lastSyncEnd = _lastEvictionLook = options.Time.GetTimestamp();
        Recovered = parts.Recovered;
        _workMemory = new WorkMemory(this);
    }

    /// <summary>How it was opened.</summary>
    public EnvironmentOptions Options { get; }

    /// <summary>The name that errors and statistics show.</summary>
    public string Name => Options.Name;

    /// <summary>What opening had to do: transactions replayed, bytes read, anything given up.</summary>
    public Recovery.RecoveryReport Recovered { get; }

    /// <summary>The newest transaction that no crash takes back; also the newest that readers see, unless durability is lazy.</summary>
    public long DurableTransactionId
    {
        get
        {
            lock (_lock)
                return _durable.TransactionId;
        }
    }

    /// <summary>Why writes are refused; null while they are not.</summary>
    public Exception? Poison => Volatile.Read(ref _poison);

    internal DataFile Data { get; }

    internal FreeSpaceHints FreeSpaceHints { get; } = new();

    internal ScratchPool Scratch { get; }

    internal PageMapNodes MapNodes { get; }

    internal DirtyPages DirtyPages { get; }

    /// <summary>
    /// Opens the environment of a disk's root, creating it when there is none, and recovers it. Throws
    /// <see cref="EnvironmentLockedException"/>,
    /// <see cref="UnsupportedFormatException"/>, <see cref="CorruptedDataException"/>, <see cref="DiskException"/>.
    /// </summary>
    public static StorageEnvironment Open(IDisk disk, EnvironmentOptions options) => Recovery.EnvironmentOpening.Open(disk, options);

    /// <summary>A new environment's first transaction, durable and synced on return; the header files come into being with it.</summary>
    internal void Initialize()
    {
        using var writer = BeginWrite();
        writer.InitializeEnvironment(Math.Max(2, Options.InitialDataFileBytes / Pages.PageLayout.PageSize));
        writer.Commit();
        while (RunJournalStep(force: true)) { }
        FlushAndSync();
        Recovery.EnvironmentOpening.EndCreation(_disk);
    }

    /// <summary>Makes further writes fail with <see cref="EnvironmentPoisonedException"/>; reads go on.</summary>
    public void PoisonBy(Exception cause)
    {
        if (Interlocked.CompareExchange(ref _poison, cause, null) == null)
            Options.Host?.JournalHasWork();
    }

    /// <summary>
    /// Flushes and syncs everything durable and notes that nothing is to be replayed. No writer and no pending commit may be
    /// left. A poisoned
    /// environment is only closed. A lazily durable one is made durable first; where the disk refuses that, it is closed at its last
    /// durable state.
    /// </summary>
    public void CloseCleanly()
    {
        try
        {
            if (Poison != null || !_disk.IsDurable)
                return;
            while (RunJournalStep(force: true)) { }
            FlushAndSync();
            WriteCleanHeaders();
        }
        finally
        {
            Dispose();
        }
    }

    /// <summary>Closes the files at once; what is not synced is for recovery. Readers must have ended.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            if (_disposed)
                return;
            Invariant.Require(_readers.Count == 0 && _writer == null);
            _disposed = true;
        }
        _workMemory.Dispose();
        EndFlushing();
        foreach (var commit in _pending)
            commit.ReleasePages();
        FailWaiters(new ObjectDisposedException(Name));
        _journal.Dispose();
        _headers.Dispose();
        _backed.Dispose();
        Data.Dispose();
        DirtyPages.Dispose();
        ReleaseEverySlot();
        Scratch.Dispose();
        MapNodes.Dispose();
        _commitArena.Dispose();
        _fileLock.Dispose();
    }

    private void ThrowIfPoisoned()
    {
        if (Poison is { } cause)
            throw new EnvironmentPoisonedException(Name, cause);
    }
}
