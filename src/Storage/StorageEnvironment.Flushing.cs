using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Flushing;
using Jackdaw.Storage.Headers;
using Jackdaw.Storage.Journal;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Scratch;
using Jackdaw.Storage.Space;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage;

/// <summary>Flush, sync, recycling and spare journal files: steps of the host's flush thread.</summary>
public sealed unsafe partial class StorageEnvironment
{
    /// <summary>Bytes of the data file whose residency one step asks for: a fraction of a millisecond each 64 MB.</summary>
    private const long EvictionLookBytes = 8L << 30;

    /// <summary>While there is something to flush, whether enough of it is there is looked up this often.</summary>
    private static readonly TimeSpan s_lookInterval = TimeSpan.FromMilliseconds(250);

    private readonly List<PageMapEntry> _justWritten = [];
    private readonly FlushPace _pace = new();
    private FlushPass? _pass;
    private FlushedState _flushed;
    private JournalPosition _synced;
    private long _syncedJournalBytes;
    private SyncRound? _round;
    private long _lastFlushEnd;
    private long _lastSyncEnd;
    private long _lastEvictionLook;
    private bool _watchesEvictions = true;
    private bool _wasUsed;

    /// <summary>A sync under way: what it will have made durable, and how far it is.</summary>
    private sealed class SyncRound(FlushedState state)
    {
        public FlushedState State { get; } = state;

        public SyncStage Stage { get; set; }

        public EnvironmentHeader? Header { get; set; }

        public int HeaderFile { get; set; }
    }

    private enum SyncStage
    {
        DataSync,
        HeaderWrite,
        HeaderSync,
        Recycle,
    }

    /// <summary>
    /// What the host should let pass before the next flush step, so that journal writes keep their usual latency: nothing while scratch is
    /// short or the journal is as quick as ever.
    /// </summary>
    public TimeSpan FlushPause => ScratchPressure > 0.5 ? TimeSpan.Zero : _pace.Pause;

    /// <summary>So much is not flushed that a pass is due, unless readers or the journal hold it up.</summary>
    public bool HasMuchToFlush => Scratch.UsedBytes >= Options.FlushThresholdBytes;

    /// <summary>
    /// Writes some of what is durable but not yet in the data file. False when there is nothing (more) to do now. With
    /// <paramref name="force"/> a pass begins however little there is.
    /// </summary>
    public bool RunFlushStep(bool force = false)
    {
        if (Poison != null)
            return false;
        var pass = _pass ??= new FlushPass(Data);
        if (pass.Snapshot == null && !BeginPass(pass, force))
            return false;
        var started = Options.Time.GetTimestamp();
        Guarded(() =>
        {
            _justWritten.Clear();
            var finished = pass.Step(Options.FlushStepBytes, _justWritten);
            LeaveMap(_justWritten);
            if (finished)
                EndPass(pass);
        });
        _pace.Flushed(Options.Time.GetElapsedTime(started));
        return true;
    }

    /// <summary>
    /// One stage of a sync: fdatasync of the data file; writing the older header; its fdatasync; recycling of journal files.
    /// False when no sync
    /// is under way nor due.
    /// </summary>
    public bool RunSyncStep(bool force = false)
    {
        if (Poison != null)
            return false;
        if (_round == null)
        {
            if (!SyncIsDue(force))
                return false;
            // The horizon is fixed before fdatasync: what is flushed while it runs is for the next round.
            _round = new SyncRound(_flushed);
        }
        Guarded(() => Advance(_round));
        return true;
    }

    /// <summary>Makes or completes the spare journal file, a piece at a time. False when it is complete.</summary>
    public bool RunSpareStep()
    {
        if (Poison != null)
            return false;
        try
        {
            return _journal.RunSpareStep();
        }
        catch (DiskFullException)
        {
            // No room for a spare is no failure: transactions are refused at their reservation once the current file is full.
            return false;
        }
        catch (Exception error) when (IsEngineFault(error))
        {
            PoisonBy(error);
            return false;
        }
    }

    /// <summary>
    /// Looks, every <see cref="EnvironmentOptions.SyncInterval"/>, which pages of the data file the kernel has evicted: they are
    /// brought in, and verified, anew before
    /// they are next read. Needed most where nothing is written. When nobody has read or written since the last look, every page
    /// is taken for evicted, and no look is due until somebody does.
    /// </summary>
    public void RunEvictionStep()
    {
        if (Options.Time.GetElapsedTime(_lastEvictionLook) < Options.SyncInterval)
            return;
        bool isInUse;
        lock (_lock)
        {
            isInUse = _wasUsed || _readers.Count > 0 || _writer != null;
            _wasUsed = false;
            if (!isInUse && !_watchesEvictions)
                return;
            _watchesEvictions = isInUse;
        }
        if (isInUse)
            Data.ForgetEvicted(EvictionLookBytes);
        else
            BeginRest();
        _lastEvictionLook = Options.Time.GetTimestamp();
    }

    /// <summary>
    /// How long the flush, sync, spare and eviction steps have nothing to do unless the environment is used meanwhile: at most a
    /// moment where only a look can tell, <see cref="Timeout.InfiniteTimeSpan"/> where everything is done. For the thread that
    /// runs them. After a journal step, or <see cref="IStepHost.FlushHasWork"/>, ask again.
    /// </summary>
    public TimeSpan NextBackgroundStep()
    {
        bool isFlushed;
        bool watches;
        lock (_lock)
        {
            isFlushed = _durable.TransactionId <= _flushed.Position.TransactionId;
            watches = _watchesEvictions;
        }
        var next = watches ? Left(_lastEvictionLook) : Timeout.InfiniteTimeSpan;
        if (Poison != null)
            return next;
        if (!isFlushed || _round != null || _pass?.Snapshot != null || _journal.HasSpareWork)
            return Sooner(next, s_lookInterval);
        return _flushed.Position.TransactionId > _synced.TransactionId ? Sooner(next, Left(_lastSyncEnd)) : next;

        TimeSpan Left(long since)
        {
            var left = Options.SyncInterval - Options.Time.GetElapsedTime(since);
            return left > TimeSpan.Zero ? left : TimeSpan.Zero;
        }
    }

    /// <summary>Nobody uses the environment: it keeps nothing for a quick next step.</summary>
    private void BeginRest()
    {
        Data.ForgetAll();
        if (_pass is not { Snapshot: null } pass)
            return;
        pass.Dispose();
        _pass = null;
    }

    private static TimeSpan Sooner(TimeSpan one, TimeSpan other) =>
        one == Timeout.InfiniteTimeSpan || (other < one && other != Timeout.InfiniteTimeSpan) ? other : one;

    /// <summary>Somebody reads: evictions are looked for again. True when nobody has looked for them until now. Under the lock.</summary>
    private bool BeginWatch(long now)
    {
        _wasUsed = true;
        if (_watchesEvictions)
            return false;
        _watchesEvictions = true;
        _lastEvictionLook = now;
        return true;
    }

    /// <summary>Flushes and syncs, at once, all that is durable now and that no older reader holds up. For closing and tests.</summary>
    public void FlushAndSync()
    {
        var target = DurableTransactionId;
        while ((_flushed.Position.TransactionId < target || _pass?.Snapshot != null) && RunFlushStep(force: true)) { }
        while (RunSyncStep(force: true)) { }
        ThrowIfPoisoned();
    }

    private bool BeginPass(FlushPass pass, bool force)
    {
        lock (_lock)
        {
            // With nothing left to flush, what readers held until now would otherwise stay until the next writer, which may be
            // waiting for just that.
            if (_writer == null)
                Reclaim();
            var horizon = Options.Planted == PlantedFault.FlushBeforeDurable ? _latest : Horizon();
            if (horizon.TransactionId <= _flushed.Position.TransactionId)
                return false;
            var due =
                force
                || Scratch.UsedBytes >= Options.FlushThresholdBytes
                || Options.Time.GetElapsedTime(_lastFlushEnd) >= Options.FlushInterval;
            if (!due)
                return false;
            horizon.References++;
            pass.Begin(horizon);
            return true;
        }
    }

    private void EndPass(FlushPass pass)
    {
        var snapshot = pass.Snapshot!;
        pass.End();
        lock (_lock)
        {
            snapshot.References--;
            if (_writer == null)
                Reclaim();
        }
        _flushed = new FlushedState(snapshot.Position, snapshot.PageCount, snapshot.JournalBytes);
        _lastFlushEnd = Options.Time.GetTimestamp();
    }

    private void EndFlushing() => _pass?.Dispose();

    /// <summary>Only after its write returned does an entry leave the newest map.</summary>
    private void LeaveMap(List<PageMapEntry> written)
    {
        lock (_lock)
        {
            _flushedEntries.AddRange(written);
            if (_writer == null)
                RemoveFlushedFromLatest();
        }
    }

    private bool SyncIsDue(bool force)
    {
        if (_flushed.Position.TransactionId <= _synced.TransactionId)
            return false;
        return force
            || Options.Time.GetElapsedTime(_lastSyncEnd) >= Options.SyncInterval
            || _flushed.JournalBytes - _syncedJournalBytes >= Options.SyncThresholdBytes;
    }

    private void Advance(SyncRound round)
    {
        switch (round.Stage)
        {
            case SyncStage.DataSync:
                Data.File.Sync();
                round.Stage = SyncStage.HeaderWrite;
                break;
            case SyncStage.HeaderWrite:
                round.Header = NextHeader(Options.Planted == PlantedFault.HorizonAfterSync ? _flushed : round.State, clean: false);
                round.HeaderFile = _headers.Write(round.Header);
                round.Stage = SyncStage.HeaderSync;
                break;
            case SyncStage.HeaderSync:
                _headers.Sync(round.HeaderFile, round.Header!);
                _synced = round.State.Position;
                lock (_lock)
                    _syncedHeader = round.Header!;
                _syncedJournalBytes = round.State.JournalBytes;
                round.Stage = SyncStage.Recycle;
                break;
            case SyncStage.Recycle:
                if (Recyclable() is { } position)
                    _journal.Recycle(position);
                PunchFreeRuns();
                _round = null;
                _lastSyncEnd = Options.Time.GetTimestamp();
                break;
        }
    }

    private EnvironmentHeader NextHeader(FlushedState state, bool clean) =>
        _headers.Newest with
        {
            Synced = state.Position,
            Pages = state.Pages,
            ClosedCleanly = clean,
            IsCopy = false,
        };

    private void WriteCleanHeaders()
    {
        var header = NextHeader(_flushed, clean: true);
        _headers.Sync(_headers.Write(header), header);
    }

    /// <summary>Gives the space of large free runs back to the file system: runs free for everyone who lives, and not handed out
    /// again since.</summary>
    private void PunchFreeRuns()
    {
        var view = new ReadTransaction(this, Data);
        lock (_lock)
            BeginRead(view, Horizon(), "punching", Options.Time.GetTimestamp());
        using (view)
        {
            var runs = new List<PageRun>();
            FreeSpace.CollectFreeRuns(view, BackedSpace.UnitPages, runs);
            if (runs.Count > 0)
                _backed.Punch(runs, view.Id);
        }
    }

    private void Guarded(Action step)
    {
        try
        {
            step();
        }
        catch (Exception error) when (IsEngineFault(error))
        {
            PoisonBy(error);
        }
    }

    /// <summary>What a step may end in without being a bug of its host: it poisons this environment, and harms no other.</summary>
    private static bool IsEngineFault(Exception error) => error is StorageException or InvariantViolationException or OutOfMemoryException;
}
