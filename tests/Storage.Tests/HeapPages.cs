using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage.Tests;

/// <summary>A transaction of a <see cref="HeapStore"/>. Disposing of a writer without <see cref="Commit"/> rolls it back.</summary>
public sealed unsafe class HeapPages : PageTransaction
{
    private readonly HeapStore _store;
    private readonly Dictionary<long, HeapPage> _snapshot;
    private readonly Dictionary<long, HeapPage> _written = [];
    private readonly HashSet<long> _freedHere = [];
    private readonly SortedSet<long> _free;
    private readonly bool _ownsStore;
    private long _pageCount;
    private bool _ended;

    internal HeapPages(HeapStore store, bool isWritable, bool ownsStore)
    {
        _ownsStore = ownsStore;
        _store = store;
        _snapshot = store.Committed;
        _free = isWritable ? [.. store.FreePages] : [];
        _pageCount = store.PageCount;
        IsWritable = isWritable;
        Id = isWritable ? store.LastTransactionId + 1 : store.LastTransactionId;
    }

    public override long Id { get; }

    public override bool IsWritable { get; }

    public override long PageCount => _pageCount;

    /// <summary>Pages that this transaction has written (allocated or modified) so far.</summary>
    public int WrittenPages => _written.Count;

    /// <summary>Pages in use, the meta page included.</summary>
    public long UsedPages => _pageCount - _free.Count;

    public bool IsFree(long pageNumber) => _free.Contains(pageNumber);

    public override byte* ReadPage(long pageNumber)
    {
        if (_written.TryGetValue(pageNumber, out var page))
            return page.Memory;
        if (_freedHere.Contains(pageNumber) || !_snapshot.TryGetValue(pageNumber, out page))
            throw new InvalidOperationException($"Page {pageNumber} is not in use.");
        return page.Memory;
    }

    public override byte* ModifyPage(long pageNumber)
    {
        Invariant.Require(IsWritable && !_ended);
        if (_written.TryGetValue(pageNumber, out var page))
        {
            Invariant.Require(page.RunLength == 1);
            return page.Memory;
        }
        byte* old = ReadPage(pageNumber);
        Invariant.Require(((PageHeader*)old)->RunLength == 1);
        byte* copy = _store.Allocate(1);
        Buffer.MemoryCopy(old, copy, PageLayout.PageSize, PageLayout.PageSize);
        ((PageHeader*)copy)->TransactionId = Id;
        _written[pageNumber] = new HeapPage(copy, 1, 0);
        return copy;
    }

    public override byte* AllocatePages(int count, PageKind kind, out long pageNumber)
    {
        Invariant.Require(IsWritable && !_ended && count > 0);
        pageNumber = FindRun(count);
        if (pageNumber < 0)
        {
            pageNumber = _pageCount;
            _pageCount += count;
        }
        else
        {
            for (int i = 0; i < count; i++)
                _free.Remove(pageNumber + i);
        }
        return CreatePagesAt(pageNumber, count, kind);
    }

    public override void FreePages(long pageNumber, int count)
    {
        Invariant.Require(IsWritable && !_ended);
        byte* memory = ReadPage(pageNumber);
        Invariant.Require(((PageHeader*)memory)->RunLength == count);
        if (_written.Remove(pageNumber))
            new Span<byte>(memory, count * PageLayout.PageSize).Fill(0xDD);
        _freedHere.Add(pageNumber);
        for (int i = 0; i < count; i++)
        {
            bool added = _free.Add(pageNumber + i);
            Invariant.Require(added);
        }
    }

    protected internal override byte* CreatePagesAt(long pageNumber, int count, PageKind kind)
    {
        byte* memory = _store.Allocate(count);
        var header = (PageHeader*)memory;
        header->Checksum = 0;
        header->Kind = kind;
        header->Flags = 0;
        header->Count = 0;
        header->RunLength = count;
        header->PayloadBytes = 0;
        header->PageNumber = pageNumber;
        header->TransactionId = Id;
        _written[pageNumber] = new HeapPage(memory, count, 0);
        _freedHere.Remove(pageNumber);
        return memory;
    }

    protected internal override long GrowFile(long atLeastPages)
    {
        while (_pageCount < atLeastPages)
            _free.Add(_pageCount++);
        return _pageCount;
    }

    /// <summary>Writes the catalog back, as the engine does, and makes this the state that later transactions see.</summary>
    public void Commit()
    {
        Invariant.Require(IsWritable && !_ended);
        Catalog.WriteBack();
        _store.VerifyCommitted();
        var next = new Dictionary<long, HeapPage>(_snapshot);
        foreach (long freed in _freedHere)
            next.Remove(freed);
        foreach (var (number, page) in _written)
            next[number] = new HeapPage(page.Memory, page.RunLength, HeapStore.Hash(page.Memory, page.RunLength));
        _store.Committed = next;
        _store.FreePages = _free;
        _store.PageCount = _pageCount;
        _store.LastTransactionId = Id;
        End();
    }

    public override void Dispose()
    {
        if (!_ended)
            End();
        if (_ownsStore)
            _store.Dispose();
    }

    private void End()
    {
        _ended = true;
        if (IsWritable)
            _store.HasWriter = false;
    }

    private long FindRun(int count)
    {
        if (count == 1)
            return _free.Count == 0 ? -1 : _free.Min;
        long start = -1;
        long length = 0;
        foreach (long page in _free)
        {
            if (length == 0 || page != start + length)
            {
                start = page;
                length = 0;
            }
            if (++length == count)
                return start;
        }
        return -1;
    }
}
