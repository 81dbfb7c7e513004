using Jackdaw.Documents.Merging;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Documents.Watching;
using Jackdaw.Documents.Writing;
using Jackdaw.Storage;
using Jackdaw.Storage.Disk;

namespace Jackdaw.Documents.Hosting;

/// <summary>
/// Owns a database's environment, its merger and the three threads that run their steps: "merger", "journal" and "flush", each
/// followed by the database's name.
/// </summary>
internal sealed class DatabaseHost : IStepHost
{
    /// <summary>How long a thread sleeps at most when nobody wakes it.</summary>
    private static readonly TimeSpan s_nap = TimeSpan.FromMilliseconds(250);

    /// <summary>The merger's pause between transactions when scratch is three quarters full, growing to four times that.</summary>
    private static readonly TimeSpan s_slowing = TimeSpan.FromMilliseconds(1);

    /// <summary>Spinning for the next operation pays where another core can run its caller meanwhile.</summary>
    private static readonly TimeSpan s_spin = Environment.ProcessorCount > 1 ? TimeSpan.FromMicroseconds(60) : TimeSpan.Zero;

    private readonly WakeSignal _mergerSignal = new(s_spin);
    private readonly WakeSignal _journalSignal = new(TimeSpan.Zero);
    private readonly WakeSignal _flushSignal = new(TimeSpan.Zero);
    private readonly Thread _mergerThread;
    private readonly Thread _journalThread;
    private readonly Thread _flushThread;
    private readonly IDisk _disk;
    private readonly bool _asynchronousCommit;
    private readonly TombstoneCleaner _cleaner;
    private Exception? _closeReason;
    private volatile bool _isEnding;
    private int _isFlushWanted;

    /// <summary>Opens the environment, recovering it, and starts the threads. The disk is the host's from now on, also when this
    /// throws.</summary>
    public DatabaseHost(Guid databaseId, IDisk disk, HostOptions options, ConsumerPositions consumers)
    {
        var metered = new MeteredDisk(disk);
        _disk = disk = metered;
        IoStatistics = metered.Statistics;
        string name = options.Merger.DatabaseName;
        _asynchronousCommit = options.Merger.AsynchronousCommit;
        (Storage, DatabaseId) = Open(databaseId, disk, options.Storage with { Name = name, Host = this });
        try
        {
            var writer = new DocumentsWriter(options.NodeTag, DatabaseId, options.Clock, Guid.NewGuid);
            Merger = new TransactionMerger(Storage, writer, options.Merger, _mergerSignal.Set, Watchers);
            _cleaner = new TombstoneCleaner(Merger, consumers, options.Clock, options.TombstoneCleaningInterval, options.MaxTombstoneAge);
            _mergerThread = new Thread(RunMerger) { Name = $"merger {name}", IsBackground = true };
            _journalThread = new Thread(RunJournal) { Name = $"journal {name}", IsBackground = true };
            _flushThread = new Thread(RunFlush) { Name = $"flush {name}", IsBackground = true };
            options.StartThread(_mergerThread);
            options.StartThread(_journalThread);
            options.StartThread(_flushThread);
        }
        catch (Exception failure)
        {
            LetGo(failure);
            throw;
        }
    }

    public StorageEnvironment Storage { get; }

    /// <summary>As the environment says: see <see cref="DatabaseFormat.Ensure"/>.</summary>
    public Guid DatabaseId { get; }

    /// <summary>Every operation on the database's files, by kind.</summary>
    public IoStatistics IoStatistics { get; }

    public TransactionMerger Merger { get; }

    /// <summary>Who is woken by what the database's transactions did.</summary>
    public ChangeWatchers Watchers { get; } = new();

    /// <summary>A flush pass begins at once, although none is due.</summary>
    public void FlushSoon()
    {
        Volatile.Write(ref _isFlushWanted, 1);
        _flushSignal.Set();
    }

    public DatabaseNote OpenNote(string name) => new(_disk, name);

    public void DeleteNote(string name)
    {
        if (_disk.Exists(DatabaseNote.PathOf(name)))
            _disk.Delete(DatabaseNote.PathOf(name));
    }

    /// <summary>What was begun becomes durable and is answered; what only waits, and whatever comes, fails with
    /// <paramref name="reason"/>.</summary>
    public void BeginClose(Exception reason)
    {
        Volatile.Write(ref _closeReason, reason);
        _mergerSignal.Set();
    }

    /// <summary>Waits for the threads and closes the environment cleanly. After <see cref="BeginClose"/>, and when readers have
    /// ended. Blocks.</summary>
    public void EndClose()
    {
        _mergerThread.Join();
        _isEnding = true;
        _journalSignal.Set();
        _flushSignal.Set();
        _journalThread.Join();
        _flushThread.Join();
        try
        {
            Storage.CloseCleanly();
        }
        finally
        {
            _disk.Dispose();
        }
    }

    /// <summary>The constructor failed: ends the threads that run already, and closes. Nobody can have written anything.</summary>
    private void LetGo(Exception failure)
    {
        BeginClose(failure);
        _isEnding = true;
        _journalSignal.Set();
        _flushSignal.Set();
        foreach (var thread in new[] { _mergerThread, _journalThread, _flushThread })
        {
            bool wasStarted = thread is not null && (thread.ThreadState & ThreadState.Unstarted) == 0;
            if (wasStarted)
                thread!.Join();
        }
        try
        {
            Storage.Dispose();
        }
        finally
        {
            _disk.Dispose();
        }
    }

    void IStepHost.JournalHasWork()
    {
        // The merger's own commit: whether it writes itself or wakes the journal's thread is decided when its step has returned.
        if (Thread.CurrentThread != _mergerThread)
            _journalSignal.Set();
    }

    void IStepHost.FlushHasWork() => _flushSignal.Set();

    private static (StorageEnvironment Environment, Guid DatabaseId) Open(Guid databaseId, IDisk disk, EnvironmentOptions options)
    {
        StorageEnvironment? environment = null;
        try
        {
            environment = StorageEnvironment.Open(disk, options);
            return (environment, DatabaseFormat.Ensure(environment, databaseId));
        }
        catch
        {
            environment?.Dispose();
            disk.Dispose();
            throw;
        }
    }

    private void RunMerger()
    {
        bool isClosing = false;
        while (true)
        {
            if (!isClosing && Volatile.Read(ref _closeReason) is { } reason)
            {
                Merger.Close(reason);
                isClosing = true;
            }
            // Scratch is given back only while no transaction is open: with one open, the merger would wait for itself. Nor does
            // a close wait for readers here.
            if (!isClosing && !Merger.HasOpenTransaction)
                WaitForScratch();
            switch (Merger.RunStep())
            {
                case MergerStep.Committed:
                    WriteOrHandOver();
                    break;
                case MergerStep.WaitsForJournal:
                    // A write takes longer than a spin; many callers are at work meanwhile, and need the processor.
                    _mergerSignal.Wait(s_nap, mayBeSoon: false);
                    break;
                case MergerStep.Idle:
                    if (isClosing && !Merger.JournalWriteIsInFlight)
                        return;
                    _mergerSignal.Wait(s_nap);
                    break;
            }
        }
    }

    /// <summary>
    /// With one operation in the transaction and none waiting, handing the write to another thread would only cost the hop: the
    /// merger writes it itself.
    /// </summary>
    private void WriteOrHandOver()
    {
        if (_asynchronousCommit && (Merger.OperationsInFlight > 1 || !Merger.HasNothingQueued))
            _journalSignal.Set();
        else if (!Storage.RunJournalStep())
            _journalSignal.Set();
    }

    /// <summary>Long readers or a slow disk hold up flushing: from three quarters of the scratch on the merger goes slower, at
    /// its limit it waits.</summary>
    private void WaitForScratch()
    {
        double pressure = Storage.ScratchPressure;
        if (pressure < 0.75)
            return;
        _flushSignal.Set();
        Thread.Sleep(s_slowing * (1 + (12 * (Math.Min(pressure, 1) - 0.75))));
        while (Storage.ScratchPressure >= 1 && Storage.Poison is null && Volatile.Read(ref _closeReason) is null)
        {
            // What is committed must become durable before it can be flushed.
            _journalSignal.Set();
            _flushSignal.Set();
            Thread.Sleep(s_slowing);
        }
    }

    private void RunJournal()
    {
        while (true)
        {
            if (Storage.RunJournalStep())
                continue;
            if (_isEnding)
                return;
            _journalSignal.Wait(s_nap);
        }
    }

    /// <summary>A spare is finished before anything else: without one the merger would have to make it. Recycling takes turns
    /// with flushing.</summary>
    private bool MakeSpare()
    {
        const int StepsAtOnce = 64;
        int steps = 0;
        while (steps < StepsAtOnce && Storage.RunSpareStep())
            steps++;
        return steps > 0;
    }

    private void RunFlush()
    {
        while (!_isEnding)
        {
            bool didSomething = MakeSpare();
            bool isWanted = Interlocked.Exchange(ref _isFlushWanted, 0) != 0;
            if (Storage.RunFlushStep(isWanted))
            {
                didSomething = true;
                if (Storage.FlushPause is { Ticks: > 0 } pause)
                    Thread.Sleep(pause);
            }
            didSomething |= Storage.RunSyncStep();
            Storage.RunEvictionStep();
            _cleaner.RunStep();
            if (!didSomething)
                _flushSignal.Wait(s_nap);
        }
    }
}
