using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Scratch;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage;

/// <summary>A lazily durable environment whose journal cannot be written goes back to its last durable state.</summary>
public sealed unsafe partial class StorageEnvironment
{
    /// <summary>The transaction that each roll back went back to, in order.</summary>
    private readonly List<long> _rolledBackTo = [];

    private volatile int _generation = 1;

    /// <summary>The journal step has rolled back, and the writer that builds on what is gone has not ended yet.</summary>
    private bool _mustRollBack;

    private volatile RolledBack? _lastRollBack;

    /// <summary>
    /// Starts at 1 and goes up with each roll back. Whoever remembers anything of the environment's content between two transactions
    /// compares it (<see cref="WriteTransaction.Generation"/>) and reads anew what it remembered when it has changed.
    /// </summary>
    public int Generation => _generation;

    /// <summary>The last roll back since the environment was opened; null: there was none.</summary>
    public RolledBack? LastRollBack => _lastRollBack;

    internal bool IsDurable(int generation, long transactionId)
    {
        lock (_lock)
            return transactionId <= (generation == _generation ? _durable.TransactionId : _rolledBackTo[generation - 1]);
    }

    internal bool IsRolledBack(int generation, long transactionId)
    {
        lock (_lock)
            return generation != _generation && transactionId > _rolledBackTo[generation - 1];
    }

    /// <summary>
    /// Takes back everything since the last durable state. Readers that begin from now on see that state; those that are open go on with
    /// what they see. The writer that is open, if any, cannot commit, and the next one begins on the durable state.
    /// </summary>
    private void RollBack(DiskException cause)
    {
        var write = _lazyWrite!;
        var mayReturn = false;
        if (write.HasWritten)
        {
            _journal.GoBack(write.Base.Position);
            mayReturn = !_journal.TryLeaveAbandoned();
        }
        List<DurabilityWaiter> failed;
        lock (_lock)
        {
            var (from, to) = (_latest.TransactionId, _durable.TransactionId);
            Invariant.Require(write.Base.TransactionId == to);
            _rolledBackTo.Add(to);
            _lastRollBack = new RolledBack(_generation + 1, from, to, mayReturn, cause);
            _generation++;
            for (var snapshot = _latest; snapshot != _durable; snapshot = snapshot.Previous!)
                snapshot.IsRolledBack = true;
            Unpin(write);
            _lazyWrite = null;
            _unjournaledBytes = 0;
            _mustRollBack = true;
            failed = TakeWaiters(long.MaxValue);
            if (_writer == null)
                CompleteRollBack();
        }
        foreach (var waiter in failed)
            waiter.Fail(new RolledBackException(Name, LastRollBack!.To, cause));
    }

    /// <summary>
    /// The durable state becomes the newest again, under a version of its own: versions never fall, so that what is retired from now on
    /// passes every snapshot that may show it, rolled back ones too. Under the lock, with no writer active.
    /// </summary>
    private void CompleteRollBack()
    {
        _mustRollBack = false;
        var (durable, end) = (_durable, _latest);
        // What the rolled back snapshots made, only they show now; what they took out of the durable state is part of the newest again.
        end.Map.RetireNewerThan(durable.Version, ref end.Retired);
        var livingAgain = default(RetiredMemory);
        for (var snapshot = end; snapshot != durable; snapshot = snapshot.Previous!)
            livingAgain.TakeUpTo(durable.Version, ref snapshot.Retired);
        durable.Retired = default;
        if (Options.PlantedLazy == PlantedLazyFault.RollBackLeavesPage)
            LeavePage(durable, end);
        Append(
            new Snapshot(_nextVersion++, durable.TransactionId, durable.Map, durable.PageCount)
            {
                Position = durable.Position,
                JournalBytes = durable.JournalBytes,
                IsJournaled = true,
            }
        );
        _durable = _latest;
        FreeSpaceHints.Forget();
        CollectFlushedEntries();
        RemoveFlushedFromLatest();
        Reclaim();
    }

    /// <summary>Flushed pages had left only maps that are gone now.</summary>
    private void CollectFlushedEntries()
    {
        _flushedEntries.Clear();
        Span<PageMapEntry> entries = new PageMapEntry[256];
        for (long from = 0; ; )
        {
            var count = _latest.Map.Collect(from, entries);
            foreach (ref readonly var entry in entries[..count])
            {
                if (ScratchSlot.Of(entry.Page)->Flushed != 0)
                    _flushedEntries.Add(entry);
            }
            if (count < entries.Length)
                return;
            from = entries[count - 1].PageNumber + 1;
        }
    }

    private static void LeavePage(Snapshot durable, Snapshot end)
    {
        Span<PageMapEntry> entries = new PageMapEntry[64];
        foreach (ref readonly var entry in entries[..end.Map.CollectNewerThan(durable.Version, 1, entries)])
        {
            var kept = durable.Map.Find(entry.PageNumber);
            if (kept == null || ScratchSlot.Of(kept)->RunLength != 1 || ScratchSlot.Of(entry.Page)->RunLength != 1)
                continue;
            Buffer.MemoryCopy(entry.Page, kept, PageLayout.PageSize, PageLayout.PageSize);
            return;
        }
    }
}
