using System.Runtime.InteropServices;
using Jackdaw.Storage.Errors;
using Jackdaw.Storage.Pages;
using Jackdaw.Storage.Transactions;

namespace Jackdaw.Storage.Tests.Space;

/// <summary>
/// Single pages at any number, on native memory, with commit and abort: enough for free space, whose files are far larger than
/// what it touches.
/// Counts the pages that a transaction copies.
/// </summary>
internal sealed unsafe class SparsePages(SparsePages.Store store, Random growth) : PageTransaction
{
    private readonly Dictionary<long, nint> _changed = [];
    private long _pageCount = store.PageCount;

    public override long Id { get; } = store.LastTransaction + 1;

    public override bool IsWritable => true;

    public override long PageCount => _pageCount;

    public int ChangedPages => _changed.Count;

    public int Growths { get; private set; }

    public override byte* ReadPage(long pageNumber)
    {
        Invariant.Require(pageNumber < _pageCount);
        return (byte*)(_changed.TryGetValue(pageNumber, out nint mine) ? mine : store.Pages[pageNumber]);
    }

    public override byte* ModifyPage(long pageNumber)
    {
        if (!_changed.TryGetValue(pageNumber, out nint copy))
        {
            copy = (nint)NativeMemory.Alloc(PageLayout.PageSize);
            NativeMemory.Copy((void*)store.Pages[pageNumber], (void*)copy, PageLayout.PageSize);
            _changed[pageNumber] = copy;
        }
        return (byte*)copy;
    }

    public override byte* AllocatePages(int count, PageKind kind, out long pageNumber) => throw new NotSupportedException();

    public override void FreePages(long pageNumber, int count) => throw new NotSupportedException();

    protected internal override byte* CreatePagesAt(long pageNumber, int count, PageKind kind)
    {
        Invariant.Require(count == 1 && pageNumber < _pageCount && !_changed.ContainsKey(pageNumber));
        byte* page = (byte*)NativeMemory.Alloc(PageLayout.PageSize);
        new Span<byte>(page, PageLayout.PageSize).Fill(0xCD);
        *(PageHeader*)page = new PageHeader
        {
            Kind = kind,
            RunLength = 1,
            PageNumber = pageNumber,
            TransactionId = Id,
        };
        _changed[pageNumber] = (nint)page;
        return page;
    }

    protected internal override long GrowFile(long atLeastPages)
    {
        if (atLeastPages > store.MaxPages)
            throw new DiskFullException("data", "allocate", atLeastPages, 28);
        Growths++;
        return _pageCount = Math.Min(store.MaxPages, atLeastPages + growth.Next(0, 3) * growth.Next(0, 40_000));
    }

    public void Commit()
    {
        foreach (var (number, page) in _changed)
        {
            if (store.Pages.Remove(number, out nint old))
                NativeMemory.Free((void*)old);
            store.Pages[number] = page;
        }
        _changed.Clear();
        store.PageCount = _pageCount;
        store.LastTransaction = Id;
    }

    public override void Dispose()
    {
        foreach (nint page in _changed.Values)
            NativeMemory.Free((void*)page);
        _changed.Clear();
    }

    /// <summary>What was committed.</summary>
    internal sealed class Store : IDisposable
    {
        public Dictionary<long, nint> Pages { get; } = [];

        public long PageCount { get; set; } = 2;

        public long MaxPages { get; init; } = long.MaxValue;

        public long LastTransaction { get; set; }

        public void Dispose()
        {
            foreach (nint page in Pages.Values)
                NativeMemory.Free((void*)page);
        }
    }
}
