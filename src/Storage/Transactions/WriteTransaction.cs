using Jackdaw.Storage.Data;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Journal;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Scratch;
using Jackdaw.Storage.Space;

namespace Jackdaw.Storage.Transactions;

/// <summary>
/// The one writer: it begins on the newest committed state, durable or not, copies each page it first touches into scratch, and ends with
/// <see cref="Commit"/> or, leaving no trace, with <see cref="Dispose"/>. Used by one thread at a time.
/// </summary>
public sealed unsafe class WriteTransaction : PageTransaction
{
    private readonly StorageEnvironment _environment;
    private readonly DataFile _data;
    private readonly ScratchPool _scratch;
    private readonly DirtyPages _dirty;
    private readonly FreeSpace _freeSpace;
    private PageMapWriter _map;
    private ScratchSlot* _supersededFirst;
    private ScratchSlot* _supersededLast;
    private long _pageCount;
    private long _scratchPages;
    private bool _ended;

    internal WriteTransaction(StorageEnvironment environment, Snapshot basedOn, long version)
    {
        _environment = environment;
        _data = environment.Data;
        _scratch = environment.Scratch;
        _dirty = environment.DirtyPages;
        _dirty.Clear();
        _freeSpace = new FreeSpace(environment.FreeSpaceHints);
        _map = new PageMapWriter(environment.MapNodes, basedOn.Map, version);
        _pageCount = basedOn.PageCount;
        BasedOn = basedOn;
        Generation = environment.Generation;
        Version = version;
        Id = basedOn.TransactionId + 1;
    }

    /// <inheritdoc />
    public override long Id { get; }

    /// <inheritdoc />
    public override bool IsWritable => true;

    internal override PlantedFault Planted => _environment.Options.Planted;

    /// <inheritdoc />
    public override double Fullness => (double)ScratchBytes / _environment.Options.MaxTransactionBytes;

    /// <inheritdoc />
    public override long PageCount => _pageCount;

    /// <summary>Bytes of scratch that this transaction has taken so far.</summary>
    public long ScratchBytes => _scratchPages * PageLayout.PageSize;

    /// <summary>
    /// The environment's <see cref="StorageEnvironment.Generation"/> when the transaction began: what it reads is the state of that
    /// generation.
    /// </summary>
    public int Generation { get; }

    internal Snapshot BasedOn { get; }

    internal long Version { get; }

    internal ref PageMapWriter Map => ref _map;

    internal DirtyPages Dirty => _dirty;

    /// <inheritdoc />
    public override byte* ReadPage(long pageNumber)
    {
        var page = _map.Root.Find(pageNumber);
        if (page != null)
            return page;
        if ((ulong)pageNumber >= (ulong)_pageCount)
            throw _data.Damage(pageNumber, $"page {pageNumber} is referred to, but the file ends at page {_pageCount}");
        return _data.Read(pageNumber);
    }

    /// <inheritdoc />
    public override byte* ModifyPage(long pageNumber)
    {
        RequireOpen();
        var current = _map.Root.Find(pageNumber);
        if (current != null && ScratchSlot.Of(current)->Version == Version)
            return current;
        var source = current != null ? current : ReadPage(pageNumber);
        Invariant.Require(((PageHeader*)source)->RunLength == 1 && ((PageHeader*)source)->PageNumber == pageNumber);
        var slot = TakeSlot(1);
        slot->Base = source;
        slot->AllocatedAt = current != null ? ScratchSlot.Of(current)->AllocatedAt : 0;
        var page = ScratchSlot.PageOf(slot);
        Buffer.MemoryCopy(source, page, PageLayout.PageSize, PageLayout.PageSize);
        ((PageHeader*)page)->TransactionId = Id;
        if (current != null)
            Supersede(ScratchSlot.Of(current));
        _map.Set(pageNumber, page);
        _dirty.Add(pageNumber);
        return page;
    }

    /// <inheritdoc />
    public override byte* AllocatePages(int count, PageKind kind, out long pageNumber)
    {
        RequireOpen();
        pageNumber = _freeSpace.Allocate(this, count);
        _environment.ClaimSpace(this, pageNumber, count);
        return CreatePagesAt(pageNumber, count, kind);
    }

    /// <inheritdoc />
    public override void FreePages(long pageNumber, int count)
    {
        RequireOpen();
        _freeSpace.Free(this, pageNumber, count);
        var page = _map.Root.Find(pageNumber);
        if (page == null)
            return;
        var slot = ScratchSlot.Of(page);
        Invariant.Require(slot->RunLength == count);
        _map.Remove(pageNumber);
        if (slot->Version == Version)
            GiveBack(slot);
        else
            Supersede(slot);
    }

    /// <inheritdoc />
    protected internal override byte* CreatePagesAt(long pageNumber, int count, PageKind kind)
    {
        RequireOpen();
        Invariant.Require(pageNumber >= 0 && count > 0 && pageNumber + count <= _pageCount);
        Invariant.Require(_map.Root.Find(pageNumber) == null);
        var slot = TakeSlot(count);
        slot->AllocatedAt = Version;
        var page = ScratchSlot.PageOf(slot);
        // What a structure leaves undefined must not be what some other page held: it reaches the journal and the file.
        if (count == 1)
            new Span<byte>(page, PageLayout.PageSize).Clear();
        *(PageHeader*)page = new PageHeader
        {
            Kind = kind,
            RunLength = count,
            PageNumber = pageNumber,
            TransactionId = Id,
        };
        _map.Set(pageNumber, page);
        _dirty.Add(pageNumber);
        return page;
    }

    /// <inheritdoc />
    protected internal override long GrowFile(long atLeastPages)
    {
        RequireOpen();
        if (atLeastPages <= _pageCount)
            return _pageCount;
        _pageCount = _environment.Grow(_pageCount, atLeastPages);
        return _pageCount;
    }

    /// <summary>The first transaction of all: the meta page and the bitmap of an environment that has no page yet.</summary>
    internal void InitializeEnvironment(long pages)
    {
        Invariant.Require(_pageCount == 0 && pages > 1);
        GrowFile(pages);
        var meta = CreatePagesAt(PageLayout.MetaPage, 1, PageKind.Meta);
        new Span<byte>(meta + PageLayout.HeaderSize, PageLayout.BodySize).Clear();
        _freeSpace.Initialize(this);
    }

    /// <summary>
    /// Ends the transaction: it is visible to the next writer at once, and to readers once the journal step has made it durable, which
    /// <paramref name="observer"/> is then told. Throws <see cref="DiskFullException"/> when the journal has no room for it: the
    /// transaction
    /// then leaves no trace and the next may go on.
    /// In a lazily durable environment it is visible to readers at once, too, there is no observer, and a
    /// <see cref="RolledBackException"/> is thrown when the state that it builds on was rolled back since it began.
    /// </summary>
    public PendingCommit Commit(ICommitObserver? observer = null)
    {
        RequireOpen();
        try
        {
            _environment.WriteBackCatalog(this);
            return _environment.Commit(this, observer);
        }
        finally
        {
            if (!_ended)
                Dispose();
        }
    }

    /// <summary>Ends the transaction without a trace, unless it has been committed.</summary>
    public override void Dispose()
    {
        if (_ended)
            return;
        _ended = true;
        GiveBackPages();
        _map.GiveBackOwn();
        _environment.EndWrite(this);
    }

    /// <summary>Lists what the journal must hold, each page once, in page order; returns how many pages, those of runs counted
    /// singly.</summary>
    internal long ListPages(PendingCommit commit)
    {
        var pages = _dirty.SortedDistinct();
        commit.Reserve(pages.Length);
        long runPages = 0;
        foreach (var pageNumber in pages)
        {
            var page = _map.Root.Find(pageNumber);
            if (page == null)
                continue; // created or changed, then freed
            var slot = ScratchSlot.Of(page);
            Invariant.Require(slot->Version == Version);
            if (
                _environment.Options.Planted == PlantedFault.LostTombstone
                && slot->Base != null
                && ((PageHeader*)page)->Count < ((PageHeader*)slot->Base)->Count
            )
                continue;
            var wholeBytes = slot->RunLength == 1 ? PageLayout.PageSize : PageLayout.HeaderSize + ((PageHeader*)page)->PayloadBytes;
            commit.Add(new JournaledPage(pageNumber, slot->RunLength, page, slot->Base, wholeBytes));
            runPages += slot->RunLength;
        }
        return runPages;
    }

    /// <summary>The published end: the environment takes over the map and the superseded slots.</summary>
    internal void MarkCommitted(ref RetiredMemory retired)
    {
        _ended = true;
        _map.HandOverReplaced(ref retired);
        retired.AddSlots(_supersededFirst, _supersededLast);
    }

    /// <summary>Bytes of scratch by which the pages that were written after a version grow with this transaction.</summary>
    internal long GrowthSince(long version)
    {
        var pages = _scratchPages;
        for (var slot = _supersededFirst; slot != null; slot = slot->Next)
            pages -= slot->Version > version ? slot->RunLength : 0;
        return pages * PageLayout.PageSize;
    }

    private void RequireOpen() => ObjectDisposedException.ThrowIf(_ended, this);

    private ScratchSlot* TakeSlot(int run)
    {
        if ((_scratchPages + run) * PageLayout.PageSize > _environment.Options.MaxTransactionBytes)
            throw new LimitExceededException(
                "A transaction",
                (_scratchPages + run) * PageLayout.PageSize,
                _environment.Options.MaxTransactionBytes,
                "Storage.MaxTransactionSizeInMb"
            );
        _scratchPages += run;
        var slot = _scratch.Take(run);
        slot->Version = Version;
        return slot;
    }

    private void GiveBack(ScratchSlot* slot)
    {
        _scratchPages -= slot->RunLength;
        _scratch.Return(slot);
    }

    /// <summary>An older version that the new map no longer shows: retired at commit, untouched by an abort.</summary>
    private void Supersede(ScratchSlot* slot)
    {
        slot->Next = null;
        if (_supersededFirst == null)
            _supersededFirst = slot;
        else
            _supersededLast->Next = slot;
        _supersededLast = slot;
    }

    private void GiveBackPages()
    {
        foreach (var pageNumber in _dirty.SortedDistinct())
        {
            var page = _map.Root.Find(pageNumber);
            if (page == null || ScratchSlot.Of(page)->Version != Version)
                continue;
            if (
                _environment.Options.Planted == PlantedFault.UndoLeavesEntry
                && BasedOn.Map.Find(pageNumber) is var old
                && old != null
                && ((PageHeader*)old)->RunLength == 1
            )
                Buffer.MemoryCopy(page, old, PageLayout.PageSize, PageLayout.PageSize);
            _scratch.Return(ScratchSlot.Of(page));
        }
    }
}
