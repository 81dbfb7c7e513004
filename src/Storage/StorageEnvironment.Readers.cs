using Jackdaw.Storage.Scratch;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage;

/// <summary>Readers, snapshots, and what may be reclaimed once nobody can see it.</summary>
public sealed unsafe partial class StorageEnvironment
{
    private ScratchSlot* _retiredSlots;
    private ScratchSlot* _lastRetiredSlot;
    private PageMapNode* _retiredNodes;
    private PageMapNode* _lastRetiredNode;

    /// <summary>A reader of the newest durable state; <paramref name="purpose"/> names it in the statistics when it lives long.</summary>
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
            BeginRead(reader, _durable, purpose, now);
            beginsWatch = BeginWatch(now);
        }
        if (beginsWatch)
            Options.Host?.FlushHasWork();
    }

    /// <summary>Under the lock.</summary>
    private void BeginRead(ReadTransaction reader, Snapshot snapshot, string purpose, long now)
    {
        snapshot.References++;
        reader.Begin(snapshot, purpose, now);
        _readers.AddLast(reader.Node);
    }

    internal void EndRead(ReadTransaction reader)
    {
        bool freesHorizon;
        lock (_lock)
        {
            _readers.Remove(reader.Node);
            freesHorizon = --reader.Snapshot.References == 0 && reader.Snapshot == _oldest && reader.Snapshot != _durable;
            Invariant.Require(reader.Snapshot.References >= 0);
        }
        if (freesHorizon)
            Options.Host?.FlushHasWork();
    }

    /// <summary>The state that no living reader is older than: what a flush pass may write. Under the lock.</summary>
    private Snapshot Horizon()
    {
        TrimSnapshots();
        return _oldest;
    }

    /// <summary>Drops snapshots from the old end that nobody refers to, up to the durable one. Under the lock.</summary>
    private void TrimSnapshots()
    {
        while (_oldest != _durable && _oldest.References == 0)
            _oldest = _oldest.Next!;
    }

    /// <summary>Gives back slots and nodes that no living snapshot shows. Under the lock, with no writer active.</summary>
    private void Reclaim()
    {
        TrimSnapshots();
        var oldestLive = _oldest.Version;
        _retiredSlots = Scratch.ReturnRetired(
            _retiredSlots,
            Options.Planted == PlantedFault.EarlyScratchReuse ? _durable.Version : oldestLive
        );
        _retiredNodes = MapNodes.ReturnRetired(_retiredNodes, oldestLive);
    }

    private void Retire(ScratchSlot* slot, long version)
    {
        slot->Next = null;
        slot->RetiredAt = version;
        if (_retiredSlots == null)
            _retiredSlots = slot;
        else
            _lastRetiredSlot->Next = slot;
        _lastRetiredSlot = slot;
    }

    /// <summary>At the end of everything: slots of runs are single allocations and must be given back one by one.</summary>
    private void ReleaseEverySlot()
    {
        _retiredSlots = Scratch.ReturnRetired(_retiredSlots, long.MaxValue);
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
