using Jackdaw.Storage.Scratch;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage;

/// <summary>Readers, snapshots, and what may be reclaimed once nobody can see it.</summary>
public sealed unsafe partial class StorageEnvironment
{
    /// <summary>What no living snapshot shows any more: given back as soon as no writer is active.</summary>
    private RetiredMemory _unseen;

    /// <summary>
    /// A reader of the newest durable state, or, where durability is lazy, of the newest committed one; <paramref name="purpose"/> names it
    /// in the statistics when it lives long.
    /// </summary>
    public ReadTransaction BeginRead(string purpose)
    {
        var reader = new ReadTransaction(this, Data);
        BeginRead(reader, purpose);
        return reader;
    }

    internal void BeginRead(ReadTransaction reader, string purpose)
    {
        var now = Options.Time.GetTimestamp();
        bool beginsWatch;
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            BeginRead(reader, Visible, purpose, now);
            beginsWatch = BeginWatch(now);
        }
        if (beginsWatch)
            Options.Host?.FlushHasWork();
    }

    /// <summary>Under the lock.</summary>
    private void BeginRead(ReadTransaction reader, Snapshot snapshot, string purpose, long now)
    {
        snapshot.References++;
        var journaled = snapshot.IsJournaled ? null : _durable;
        if (journaled != null)
            journaled.References++;
        reader.Begin(snapshot, journaled, purpose, now);
        _readers.AddLast(reader.Node);
    }

    internal void EndRead(ReadTransaction reader)
    {
        bool freesHorizon;
        lock (_lock)
        {
            _readers.Remove(reader.Node);
            freesHorizon = LetGo(reader.Snapshot);
            if (reader.Journaled is { } journaled)
                freesHorizon |= LetGo(journaled);
        }
        if (freesHorizon)
            Options.Host?.FlushHasWork();
    }

    /// <summary>True when the snapshot held flushing up and does no longer. Under the lock.</summary>
    private bool LetGo(Snapshot snapshot)
    {
        Invariant.Require(snapshot.References > 0);
        return --snapshot.References == 0 && snapshot == _oldest && snapshot != _durable;
    }

    /// <summary>The state that no living reader is older than: what a flush pass may write. Under the lock.</summary>
    private Snapshot Horizon()
    {
        TrimSnapshots();
        Invariant.Require(_oldest.IsJournaled, "a state between two records is never flushed");
        return _oldest;
    }

    /// <summary>Drops snapshots from the old end that nobody refers to, up to the durable one. Under the lock.</summary>
    private void TrimSnapshots()
    {
        while (_oldest != _durable && _oldest.References == 0)
        {
            var gone = _oldest;
            _unseen.TakeAll(ref gone.Retired);
            _oldest = gone.Next!;
            _oldest.Previous = null;
            // Pools keep ended readers, and each refers to its snapshot: that snapshot must not keep every later one alive.
            gone.Next = null;
        }
    }

    /// <summary>Gives back slots and nodes that no living snapshot shows. Under the lock, with no writer active.</summary>
    private void Reclaim()
    {
        TrimSnapshots();
        if (IsLazy)
            DropUnseenSnapshots();
        if (Options.Planted == PlantedFault.EarlyScratchReuse)
        {
            for (var snapshot = _oldest; snapshot != _durable; snapshot = snapshot.Next!)
                snapshot.Retired.ReturnSlots(Scratch);
        }
        _unseen.Return(Scratch, MapNodes);
    }

    /// <summary>Publishes a snapshot as the newest. Under the lock.</summary>
    private void Append(Snapshot snapshot)
    {
        snapshot.Previous = _latest;
        _latest.Next = snapshot;
        _latest = snapshot;
    }

    /// <summary>At the end of everything: slots of runs are single allocations and must be given back one by one.</summary>
    private void ReleaseEverySlot()
    {
        _unseen.ReturnSlots(Scratch);
        for (var snapshot = _oldest; snapshot != null; snapshot = snapshot.Next)
            snapshot.Retired.ReturnSlots(Scratch);
        Span<PageMapEntry> entries = new PageMapEntry[256];
        for (long from = 0; ; )
        {
            var count = _latest.Map.Collect(from, entries);
            foreach (ref readonly var entry in entries[..count])
                Scratch.Return(ScratchSlot.Of(entry.Page));
            if (count < entries.Length)
                return;
            from = entries[count - 1].PageNumber + 1;
        }
    }
}
