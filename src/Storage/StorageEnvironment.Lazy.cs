using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Journal;
using Jackdaw.Storage.Scratch;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage;

/// <summary>Lazy durability: commits that are seen at once, and the journal write that makes many of them durable.</summary>
public sealed unsafe partial class StorageEnvironment
{
    /// <summary>A record has room reserved for so many times the bytes that it is expected to take: pages of which a few bytes changed are
    /// reserved whole, and each record costs a wait for the device.</summary>
    private const int LazyRecordRoom = 4;

    private readonly List<DurabilityWaiter> _waiters = [];

    /// <summary>The journal write under way. Of the journal step; set and cleared under the lock.</summary>
    private LazyWrite? _lazyWrite;

    /// <summary>Bytes of scratch of pages that are newer than what is journaled or being journaled.</summary>
    private long _unjournaledBytes;

    /// <summary>When the first commit came that is neither journaled nor being journaled.</summary>
    private long _unjournaledSince;

    private bool IsLazy => Options.Durability == Durability.Lazy;

    /// <summary>What a reader that begins now sees. Under the lock.</summary>
    private Snapshot Visible => IsLazy && !_mustRollBack ? _latest : _durable;

    /// <summary>The newest transaction that readers see: ahead of <see cref="DurableTransactionId"/> where durability is lazy.</summary>
    public long VisibleTransactionId
    {
        get
        {
            lock (_lock)
                return Visible.TransactionId;
        }
    }

    /// <summary>
    /// Returns how long <see cref="RunJournalStep()"/> has nothing to do: zero when it has work now,
    /// <see cref="Timeout.InfiniteTimeSpan"/> when there is nothing to wait for. The host asks whenever a step returned false, and sleeps
    /// so long at most; <see cref="IStepHost.JournalHasWork"/> wakes it where the answer has become a shorter one.
    /// </summary>
    public TimeSpan NextJournalStep()
    {
        var now = Options.Time.GetTimestamp();
        lock (_lock)
        {
            if (_disposed)
                return Timeout.InfiniteTimeSpan;
            var next = IsLazy ? UntilLazyWrite(now) : null;
            return _pending.Count > 0 ? TimeSpan.Zero : next ?? Timeout.InfiniteTimeSpan;
        }
    }

    /// <summary>
    /// Completes when everything committed so far is durable; the journal's next write is due at once. Fails with
    /// <see cref="RolledBackException"/> when some of it was taken back instead, with <see cref="EnvironmentPoisonedException"/>, and with
    /// <see cref="ObjectDisposedException"/>. Only where durability is lazy: elsewhere each commit tells itself.
    /// <para>
    /// What was taken back before the call is no longer part of what is committed: the task then completes successfully although the
    /// caller's commit is gone. A caller that means a commit of its own must compare <see cref="WriteTransaction.Generation"/> of that
    /// commit with <see cref="Generation"/> when the task has completed: if they are the same, the commit is durable; if not,
    /// <see cref="PendingCommit.IsDurable"/> tells.
    /// </para>
    /// </summary>
    public Task MakeDurableAsync()
    {
        Invariant.Require(IsLazy, "only a lazily durable environment is made durable by request");
        ThrowIfPoisoned();
        DurabilityWaiter waiter;
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            var target = Visible.TransactionId;
            if (target == _durable.TransactionId)
                return Task.CompletedTask;
            waiter = new DurabilityWaiter(target);
            _waiters.Add(waiter);
        }
        Options.Host?.JournalHasWork();
        return waiter.Task;
    }

    private PendingCommit CommitLazily(WriteTransaction writer)
    {
        PendingCommit commit;
        var hasNews = false;
        var now = Options.Time.GetTimestamp();
        lock (_lock)
        {
            if (writer.Generation != _generation)
                throw new RolledBackException(Name, LastRollBack!.To, LastRollBack.Cause);
            if (writer.Dirty.IsEmpty)
                return new PendingCommit(this, _commitArena, writer.Generation, writer.BasedOn.TransactionId);
            var written = _lazyWrite?.Target ?? _durable;
            var was = UntilLazyWrite(now);
            if (_latest.TransactionId == written.TransactionId)
                _unjournaledSince = now;
            _unjournaledBytes += writer.GrowthSince(written.Version);
            var snapshot = new Snapshot(writer.Version, writer.Id, default, writer.PageCount);
            commit = new PendingCommit(this, _commitArena, writer.Generation, writer.Id);
            Publish(writer, snapshot);
            Reclaim();
            // The host sleeps until what it was told last; it is woken only when that has become wrong.
            hasNews = was is null || (was > TimeSpan.Zero && UntilLazyWrite(now) == TimeSpan.Zero);
        }
        if (hasNews)
            Options.Host?.JournalHasWork();
        return commit;
    }

    /// <summary>See <see cref="NextJournalStep"/>; null: there is nothing to write. Under the lock.</summary>
    private TimeSpan? UntilLazyWrite(long now)
    {
        if (_lazyWrite != null || _waiters.Count > 0)
            return TimeSpan.Zero;
        if (Poison != null || _mustRollBack || _latest.TransactionId == _durable.TransactionId)
            return null;
        if (_unjournaledBytes >= Math.Min(Options.LazyJournalThresholdBytes, Options.MaxScratchBytes / 4))
            return TimeSpan.Zero;
        var left = Options.LazyJournalInterval - Options.Time.GetElapsedTime(_unjournaledSince, now);
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }

    private bool RunLazyStep(bool force)
    {
        if (Poison is { } poison)
        {
            EndLazyWrite();
            return FailWaiters(poison);
        }
        if (_lazyWrite == null && !BeginLazyWrite(force))
            return false;
        try
        {
            WriteLazyRecord(_lazyWrite!);
        }
        // The very first transaction makes the environment: there is nothing to go back to.
        catch (DiskException error) when (_lazyWrite!.Base.TransactionId > 0)
        {
            RollBack(error);
        }
        catch (Exception error) when (IsEngineFault(error))
        {
            PoisonBy(error);
            EndLazyWrite();
            FailWaiters(error);
        }
        return true;
    }

    /// <summary>Fixes what is written: everything committed by now. What comes meanwhile is for the next write.</summary>
    private bool BeginLazyWrite(bool force)
    {
        List<DurabilityWaiter> early = [];
        var now = Options.Time.GetTimestamp();
        lock (_lock)
        {
            if (_disposed || _mustRollBack || _latest.TransactionId == _durable.TransactionId)
                return false;
            if (!force && UntilLazyWrite(now) != TimeSpan.Zero)
                return false;
            _lazyWrite = new LazyWrite(_durable, _latest);
            _durable.References++;
            _latest.References++;
            _unjournaledBytes = 0;
            if (Options.PlantedLazy == PlantedLazyFault.AnswerBeforeDurable)
                early = TakeWaiters(_latest.TransactionId);
        }
        early.ForEach(waiter => waiter.Complete());
        return true;
    }

    private void WriteLazyRecord(LazyWrite write)
    {
        var started = Options.Time.GetTimestamp();
        var continues = write.CollectRecord(
            Data,
            _journal.MaxPayloadIn(Options.LazyRecordBytes),
            _journal.MaxPayloadIn(LazyRecordRoom * (long)Options.LazyRecordBytes),
            Options.PlantedLazy
        );
        if (!_journal.TryReserve(_journal.WorstCaseBytes(write.Record)))
            throw new DiskFullException($"{_disk.Description}/journal", "reserve", 0, DiskFullException.ErrnoNoSpace);
        write.HasWritten = true;
        var span = new RecordSpan(
            write.Base.TransactionId + 1,
            checked((int)(write.Target.TransactionId - write.Base.TransactionId)),
            write.Records++,
            continues
        );
        var position = _journal.Append(span, write.Record, Options.Time.GetUtcNow().UtcTicks);
        _pace.Journaled(Options.Time.GetElapsedTime(started));
        if (_journal.BytesOfDifferences is { } bytes)
            write.Learn(bytes);
        if (!continues)
            EndLazyWrite(position);
    }

    private void EndLazyWrite(JournalPosition position)
    {
        var journalBytes = _journal.Statistics.BytesAppended;
        List<DurabilityWaiter> done;
        lock (_lock)
        {
            PublishDurable(_lazyWrite!.Target, position, journalBytes);
            Unpin(_lazyWrite);
            _lazyWrite = null;
            done = TakeWaiters(_durable.TransactionId);
            if (_writer == null)
                Reclaim();
        }
        done.ForEach(waiter => waiter.Complete());
    }

    /// <summary>Gives up the write that is under way, if any.</summary>
    private void EndLazyWrite()
    {
        lock (_lock)
        {
            if (_lazyWrite == null)
                return;
            Unpin(_lazyWrite);
            _lazyWrite = null;
        }
    }

    private static void Unpin(LazyWrite write)
    {
        write.Base.References--;
        write.Target.References--;
        Invariant.Require(write.Base.References >= 0 && write.Target.References >= 0);
    }

    /// <summary>
    /// Takes snapshots out of the list, wherever they are, that nobody refers to: so a page that many transactions changed costs only the
    /// versions that are journaled, newest, or read. Under the lock, with no writer active.
    /// </summary>
    private void DropUnseenSnapshots()
    {
        for (Snapshot? snapshot = _latest.Previous, previous; snapshot?.Previous != null; snapshot = previous)
        {
            previous = snapshot.Previous;
            if (snapshot == _durable || snapshot.References > 0)
                continue;
            previous.Retired.TakeUpTo(previous.Version, ref snapshot.Retired);
            _unseen.TakeAll(ref snapshot.Retired);
            previous.Next = snapshot.Next;
            snapshot.Next!.Previous = previous;
            // A pooled reader may still refer to this snapshot: the links would keep other snapshots alive.
            snapshot.Next = null;
            snapshot.Previous = null;
        }
        if (Options.PlantedLazy == PlantedLazyFault.DropJournaledState)
            _unseen.TakeAll(ref _durable.Retired);
        foreach (var reader in Options.PlantedLazy == PlantedLazyFault.DropReaderState ? _readers : [])
            _unseen.TakeAll(ref reader.Snapshot.Retired);
    }

    /// <summary>The waiters up to a transaction, taken out of the list. Under the lock.</summary>
    private List<DurabilityWaiter> TakeWaiters(long transactionId)
    {
        var taken = _waiters.FindAll(waiter => waiter.TransactionId <= transactionId);
        _waiters.RemoveAll(waiter => waiter.TransactionId <= transactionId);
        return taken;
    }

    private bool FailWaiters(Exception cause)
    {
        List<DurabilityWaiter> failed;
        lock (_lock)
            failed = TakeWaiters(long.MaxValue);
        foreach (var waiter in failed)
            waiter.Fail(
                cause is ObjectDisposedException ? new ObjectDisposedException(Name) : new EnvironmentPoisonedException(Name, cause)
            );
        return failed.Count > 0;
    }
}
