using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Scratch;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage;

/// <summary>The writer's beginning and end, and growth of the data file.</summary>
public sealed unsafe partial class StorageEnvironment
{
    /// <summary>Entries flushed while a writer was active: they leave the map when it ends. Under the lock.</summary>
    private readonly List<PageMapEntry> _flushedEntries = [];

    /// <summary>Used scratch over its limit, or the server's allowance where less of that is left: from 0.75 on the host slows
    /// the writer, at 1 it waits (a flush step and ended
    /// readers lower it).</summary>
    public double ScratchPressure
    {
        get
        {
            var used = Scratch.UsedBytes;
            var own = (double)used / Options.MaxScratchBytes;
            // Little scratch is everybody's: an environment waits for others only while it holds something that flushing gives back.
            return Options.Memory is { } shared && used > FreeOfAllowanceBytes ? Math.Max(own, shared.Pressure) : own;
        }
    }

    /// <summary>
    /// Bytes of scratch that one large transaction may take at this moment: what is left of one and a half times
    /// <see cref="EnvironmentOptions.MaxScratchBytes"/>. Zero while nothing is left of the server's allowance. For an owner that can choose
    /// how large its transactions are, and need not wait until flushing has made room for a full one.
    /// </summary>
    public long ScratchRoomBytes
    {
        get
        {
            var used = Scratch.UsedBytes;
            if (Options.Memory is { Pressure: >= 1 } && used > FreeOfAllowanceBytes)
                return 0;
            return Math.Max(0, Options.MaxScratchBytes + Options.MaxScratchBytes / 2 - used);
        }
    }

    /// <summary>Scratch that an environment may use whatever the others have taken of the server's allowance.</summary>
    private const long FreeOfAllowanceBytes = 4L << 20;

    /// <summary>
    /// The writer, on top of the newest committed state. One at a time: the caller sees to it. Throws
    /// <see cref="EnvironmentPoisonedException"/>.
    /// </summary>
    public WriteTransaction BeginWrite()
    {
        ThrowIfPoisoned();
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            Invariant.Require(_writer == null);
            Reclaim();
            _wasUsed = true;
            return _writer = new WriteTransaction(this, _latest, _nextVersion++);
        }
    }

    internal void WriteBackCatalog(WriteTransaction writer)
    {
        writer.Catalog.WriteBack();
        if (writer.PageCount == writer.BasedOn.PageCount)
            return;
        var meta = writer.ModifyPage(PageLayout.MetaPage);
        *(long*)(meta + MetaPageCountOffset) = writer.PageCount;
    }

    /// <summary>Space that was punched is reserved again before it is used. Throws <see cref="DiskFullException"/>.</summary>
    internal void ClaimSpace(WriteTransaction writer, long page, int count) => _backed.Claim(writer.Id, page, count);

    internal const int MetaPageCountOffset = PageLayout.HeaderSize;

    internal PendingCommit Commit(WriteTransaction writer, ICommitObserver? observer)
    {
        Invariant.Require(writer == _writer);
        ThrowIfPoisoned();
        if (IsLazy)
        {
            Invariant.Require(observer == null, "a lazily durable environment has no observers of commits");
            return CommitLazily(writer);
        }
        var basedOn = writer.BasedOn;
        if (writer.Dirty.IsEmpty)
            return CommitNothing(writer, observer);
        var snapshot = new Snapshot(writer.Version, writer.Id, default, writer.PageCount);
        var commit = new PendingCommit(_commitArena, writer.Id, snapshot, basedOn, observer);
        var pages = writer.ListPages(commit);
        var reserved = _journal.WorstCaseBytes(commit.PageCount, pages);
        if (!_journal.TryReserve(reserved))
        {
            commit.ReleasePages();
            throw new DiskFullException($"{_disk.Description}/journal", "reserve", 0, DiskFullException.ErrnoNoSpace);
        }
        commit.ReservedBytes = reserved;
        lock (_lock)
        {
            Publish(writer, snapshot);
            Enqueue(commit);
        }
        Options.Host?.JournalHasWork();
        return commit;
    }

    /// <summary>The writer's map becomes the newest snapshot's; what it took out of the map belongs to those before. Under the
    /// lock.</summary>
    private void Publish(WriteTransaction writer, Snapshot snapshot)
    {
        RemoveFlushed(ref writer.Map, _latest);
        snapshot.Map = writer.Map.Root;
        writer.MarkCommitted(ref _latest.Retired);
        Append(snapshot);
        _writer = null;
    }

    /// <summary>The writer ended without a trace.</summary>
    internal void EndWrite(WriteTransaction writer)
    {
        lock (_lock)
        {
            Invariant.Require(writer == _writer);
            _writer = null;
            if (!writer.Dirty.IsEmpty)
                FreeSpaceHints.Forget();
            if (_mustRollBack)
                CompleteRollBack();
            RemoveFlushedFromLatest();
        }
    }

    /// <summary>A new length of the data file in pages: a quarter more (so that little lies idle), by a step of bounded size;
    /// less where the disk has no room for it.</summary>
    internal long Grow(long current, long atLeast)
    {
        var maxStep = Options.MaxGrowthStepBytes / PageLayout.PageSize;
        var step = Math.Min(Math.Max(current / 4, Space.BackedSpace.UnitPages), maxStep);
        var wanted = Math.Min(Math.Max(atLeast, current + step), Data.MaxPages);
        wanted = Math.Max(wanted, atLeast);
        try
        {
            Data.Grow(wanted);
            return wanted;
        }
        catch (DiskFullException) when (wanted > atLeast)
        {
            // The step was generous; what this transaction needs may still fit.
            Data.Grow(atLeast);
            return atLeast;
        }
    }

    private PendingCommit CommitNothing(WriteTransaction writer, ICommitObserver? observer)
    {
        var commit = new PendingCommit(_commitArena, writer.BasedOn.TransactionId, writer.BasedOn, writer.BasedOn, observer);
        writer.Dispose();
        lock (_lock)
            Enqueue(commit);
        Options.Host?.JournalHasWork();
        return commit;
    }

    private void Enqueue(PendingCommit commit)
    {
        commit.BasedOn.References++;
        _pending.Enqueue(commit);
    }

    /// <summary>
    /// Takes out of a map what has been flushed and not been written again since; <paramref name="before"/> is the snapshot before the one
    /// that gets the map, if any. Under the lock.
    /// </summary>
    private void RemoveFlushed(ref PageMapWriter map, Snapshot? before)
    {
        foreach (var entry in _flushedEntries)
        {
            if (map.Root.Find(entry.PageNumber) != entry.Page)
                continue;
            map.Remove(entry.PageNumber);
            var slot = ScratchSlot.Of(entry.Page);
            if (before != null && slot->Version <= before.Version)
                before.Retired.Add(slot);
            else
                _unseen.Add(slot);
        }
        _flushedEntries.Clear();
    }

    /// <summary>The same with no writer active: in place where nobody refers to the newest snapshot, else as a new one. Under the
    /// lock.</summary>
    private void RemoveFlushedFromLatest()
    {
        if (_flushedEntries.Count == 0)
            return;
        var inPlace = _latest.References == 0;
        var version = inPlace ? _latest.Version : _nextVersion++;
        var map = new PageMapWriter(MapNodes, _latest.Map, version);
        var before = inPlace ? _latest.Previous : _latest;
        RemoveFlushed(ref map, before);
        if (before == null)
            map.HandOverReplaced(ref _unseen);
        else
            map.HandOverReplaced(ref before.Retired);
        if (inPlace)
        {
            _latest.Map = map.Root;
        }
        else
        {
            var snapshot = new Snapshot(version, _latest.TransactionId, map.Root, _latest.PageCount)
            {
                Position = _latest.Position,
                JournalBytes = _latest.JournalBytes,
                IsJournaled = _latest.IsJournaled,
            };
            if (_durable == _latest)
                _durable = snapshot;
            Append(snapshot);
        }
        Reclaim();
    }
}
