using Jackdaw.Documents.EventStreams;
using Jackdaw.Documents.Expiring;
using Jackdaw.Documents.Ids;
using Jackdaw.Documents.Merging;
using Jackdaw.Documents.Rooms;
using Jackdaw.Documents.Snapshots;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Documents.Watching;
using Jackdaw.Documents.Writing;
using Jackdaw.Storage;
using Jackdaw.Storage.Disk;

namespace Jackdaw.Documents.Hosting;

/// <summary>
/// Owns a database's environment, its merger and what cleans and expires, and has their steps run on the server's shared threads. The
/// merger's turns are a lane of their own; everything else is its <see cref="EnvironmentHost"/>'s.
/// </summary>
internal sealed partial class DatabaseHost
{
    /// <summary>The merger's pause between transactions when scratch is three quarters full, growing to four times that.</summary>
    private static readonly TimeSpan s_slowing = TimeSpan.FromMilliseconds(1);

    /// <summary>How often the merger of a poisoned environment looks whether a commit in flight has been lost.</summary>
    private static readonly TimeSpan s_lostCommitLook = TimeSpan.FromMilliseconds(10);

    private readonly EnvironmentHost _environment;
    private readonly StepThreads _threads;
    private readonly StepThreads? _ownThreads;
    private readonly StepLane _mergerLane;
    private readonly IDisk _disk;
    private readonly bool _asynchronousCommit;
    private readonly TombstoneCleaner _cleaner;
    private readonly LeftoverCleaner _leftovers;
    private readonly ConsumerPositions _consumers;
    private Exception? _closeReason;
    private bool _isClosing;
    private bool _hasSlowedDown;
    private bool _hasFailedInFlight;

    /// <summary>Opens the environment, recovering it, and starts its work. The disk is the host's from now on, also when this
    /// throws.</summary>
    public DatabaseHost(Guid databaseId, IDisk disk, HostOptions options, ConsumerPositions consumers)
    {
        var metered = new MeteredDisk(disk);
        _disk = disk = metered;
        IoStatistics = metered.Statistics;
        _asynchronousCommit = options.Merger.AsynchronousCommit;
        _consumers = consumers;
        _ownThreads = options.Threads is null ? new StepThreads(options.StartThread) : null;
        _threads = options.Threads ?? _ownThreads!;
        EnvironmentHost? opened = null;
        try
        {
            opened = _environment = EnvironmentHost.Open(disk, options.Storage with { Name = options.Merger.DatabaseName }, _threads);
            _threads.Mergers.EnsureStarted();
            DatabaseId = DatabaseFormat.Ensure(Storage, databaseId);
            _runAlone = RunAlone;
            _writeOrHandOver = WriteOrHandOver;
            _mergerLane = new StepLane(_threads.Mergers, RunMerger, MergerFailed);
            ChangeVectors = new ChangeVectorHistory(
                options.NodeTag,
                DatabaseId,
                DatabaseFormat.ReadHistory(Storage).Select(ancestor => (ancestor.DatabaseId, ancestor.ForkEtag))
            );
            var writer = new DocumentsWriter(options.NodeTag, DatabaseId, options.Clock, Guid.NewGuid)
            {
                Events = new EventsInTransaction(ChangeVectors),
            };
            Merger = new TransactionMerger(Storage, writer, options.Merger with { TryRunHere = TryRunHere }, _mergerLane.Wake, Watchers);
            _cleaner = new TombstoneCleaner(Merger, consumers, options.Clock, options.TombstoneCleaningInterval, options.MaxTombstoneAge);
            _leftovers = new LeftoverCleaner(Merger, Snapshots, ReadSnapshotNumber, options.Clock);
            Expirer = new DocumentExpirer(Merger, writer.DueDates, Storage, options.Clock) { Woken = _environment.WakeBackground };
            Watchers.Failed = Storage.PoisonBy;
            _environment.Start(Clean, NextCleaning, _mergerLane.Wake);
            consumers.Moved = _environment.NoteWork;
            Snapshots.Moved = _environment.NoteWork;
        }
        catch
        {
            // Nobody can have written anything, and no lane has been started.
            opened?.Abandon();
            _ownThreads?.Dispose();
            throw;
        }
    }

    public StorageEnvironment Storage => _environment.Storage;

    /// <summary>The threads that run its steps.</summary>
    public StepThreads Threads => _threads;

    /// <summary>As the environment says: see <see cref="DatabaseFormat.Ensure"/>.</summary>
    public Guid DatabaseId { get; }

    /// <summary>The change vectors of what is shown without having one stored.</summary>
    public ChangeVectorHistory ChangeVectors { get; }

    /// <summary>Every operation on the database's files, by kind.</summary>
    public IoStatistics IoStatistics { get; }

    public TransactionMerger Merger { get; }

    /// <summary>Who is woken by what the database's transactions did.</summary>
    public ChangeWatchers Watchers { get; } = new();

    /// <summary>Uploads and downloads of snapshots under way.</summary>
    public SnapshotTraffic Snapshots { get; } = new();

    /// <summary>Expires and refreshes documents.</summary>
    public DocumentExpirer Expirer { get; }

    /// <summary>A flush pass begins at once, although none is due.</summary>
    public void FlushSoon() => _environment.FlushSoon();

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
        _mergerLane.Wake();
    }

    /// <summary>Waits for the steps to end and closes the environment cleanly. After <see cref="BeginClose"/>, and when readers have
    /// ended. Blocks.</summary>
    public void EndClose()
    {
        _mergerLane.Ended.GetAwaiter().GetResult();
        _consumers.Moved = null;
        Snapshots.Moved = null;
        Expirer.Woken = null;
        _environment.EndAsync().GetAwaiter().GetResult();
        try
        {
            _environment.CloseCleanly();
        }
        finally
        {
            _ownThreads?.Dispose();
        }
    }

    private void Clean()
    {
        _cleaner.RunStep();
        _leftovers.RunStep();
        Expirer.RunStep();
    }

    private long ReadSnapshotNumber()
    {
        using var reader = Storage.BeginRead("cleaning of snapshots");
        return SnapshotNumbers.Last(new RoomReader(reader, SnapshotsRoom.Instance));
    }

    private TimeSpan NextCleaning()
    {
        return Sooner(_cleaner.NextStep(), Sooner(_leftovers.NextStep(), Expirer.NextStep()));

        static TimeSpan Sooner(TimeSpan one, TimeSpan other)
        {
            if (one == Timeout.InfiniteTimeSpan)
                return other;
            return other == Timeout.InfiniteTimeSpan || one < other ? one : other;
        }
    }

    /// <summary>One turn of the merger: until it has nothing to do, must wait, or another database's merger waits for a thread.</summary>
    private StepRest RunMerger()
    {
        _environment.Committing = Thread.CurrentThread;
        try
        {
            StepRest rest;
            do rest = RunMergerStep();
            while (rest.Kind == StepRestKind.Again && !_threads.Mergers.HasWaiting);
            return rest;
        }
        finally
        {
            _environment.Committing = null;
        }
    }

    private StepRest RunMergerStep()
    {
        if (!_isClosing && Volatile.Read(ref _closeReason) is { } reason)
        {
            _isClosing = true;
            Merger.Close(reason);
        }
        // Scratch is given back only while no transaction is open: with one open, the merger would wait for itself. Nor does
        // a close wait for readers here.
        if (!_isClosing && !Merger.HasOpenTransaction && SlowDown() is { } pause)
            return pause;
        switch (Merger.RunStep())
        {
            case MergerStep.Committed:
                WriteOrHandOver();
                return StepRest.Again;
            case MergerStep.WaitsForJournal:
                _aloneInARow = 0;
                if (Merger.FailsLostCommit())
                    return StepRest.Again;
                // A commit that is lost wakes nobody, and does not look lost while a journal step is still on its way out.
                if (Storage.Poison is not null)
                    return StepRest.AtMost(s_lostCommitLook);
                // A write takes longer than a spin; many callers are at work meanwhile, and need the processor.
                return StepRest.Idle;
            case MergerStep.Idle:
                return _isClosing && !Merger.JournalWriteIsInFlight ? StepRest.Ended : StepRest.IdleForAMoment;
            default:
                return StepRest.Again;
        }
    }

    /// <summary>
    /// With one operation in the transaction and none waiting, handing the write to another thread would only cost the hop: the
    /// merger writes it itself. Not where another database's merger waits for the thread: it must not wait for this one's disk.
    /// </summary>
    private void WriteOrHandOver()
    {
        bool isForOthers = _asynchronousCommit && (Merger.OperationsInFlight > 1 || !Merger.HasNothingQueued);
        if (!isForOthers && !_threads.Mergers.HasWaiting && Storage.RunJournalStep())
        {
            _environment.NoteWork();
            // Whoever came during the write would have waited for a turn on the thread of a caller.
            _aloneInARow = Merger.HasNothingQueued ? Math.Min(_aloneInARow + 1, AloneBefore) : 0;
        }
        else
        {
            _environment.WakeJournal();
            _aloneInARow = 0;
        }
    }

    /// <summary>
    /// Long readers or a slow disk hold up flushing: from three quarters of the scratch on the merger goes slower, at its limit it
    /// waits. It gives its thread back meanwhile. Null: it may go on.
    /// </summary>
    private StepRest? SlowDown()
    {
        double pressure = Storage.ScratchPressure;
        bool mustWait = pressure >= 1 && Storage.Poison is null;
        if (pressure < SlowingPressure || (_hasSlowedDown && !mustWait))
        {
            _hasSlowedDown = false;
            return null;
        }
        _hasSlowedDown = true;
        // What is committed must become durable before it can be flushed.
        if (mustWait)
            _environment.WakeJournal();
        _environment.WakeBackground();
        return StepRest.Pause(s_slowing * (1 + (12 * (Math.Min(pressure, 1) - SlowingPressure))));
    }

    /// <summary>Something unexpected in the merger, outside of what it handles itself, or in a journal step that it ran.</summary>
    private StepRest MergerFailed(Exception fault)
    {
        Storage.PoisonBy(fault);
        _environment.WakeJournal();
        // The commit in flight may be lost: the next turn answers it, or waits for the journal to do so. Once is enough, as a
        // poisoned environment takes no further commit; a turn that fails again must not be tried for ever.
        if (Merger.JournalWriteIsInFlight && !_hasFailedInFlight)
        {
            _hasFailedInFlight = true;
            return StepRest.Again;
        }
        return _isClosing ? StepRest.Ended : StepRest.Idle;
    }
}
