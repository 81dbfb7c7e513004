using System.Runtime.InteropServices;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Tests;

/// <summary>
/// Pages on the native heap, no disk: what structures are tested against. One writer at a time, any number of readers, each with
/// its snapshot.
/// It is unkind: new pages hold rubbish, freed ones are overwritten, and a committed page that changed without
/// <see cref="HeapPages.ModifyPage"/> is found at the next commit.
/// </summary>
public sealed unsafe class HeapStore : IDisposable
{
    private readonly List<nint> _memory = [];

    public HeapStore()
    {
        byte* meta = Allocate(1);
        new Span<byte>(meta, PageLayout.PageSize).Clear();
        var header = (PageHeader*)meta;
        header->Kind = PageKind.Meta;
        header->RunLength = 1;
        Committed = new Dictionary<long, HeapPage> { [PageLayout.MetaPage] = new(meta, 1, Hash(meta, 1)) };
    }

    internal Dictionary<long, HeapPage> Committed { get; set; }

    internal SortedSet<long> FreePages { get; set; } = [];

    internal long PageCount { get; set; } = 1;

    public long LastTransactionId { get; internal set; }

    internal bool HasWriter { get; set; }

    public HeapPages BeginWrite()
    {
        Invariant.Require(!HasWriter);
        HasWriter = true;
        return new HeapPages(this, isWritable: true, ownsStore: false);
    }

    public HeapPages BeginRead() => new(this, isWritable: false, ownsStore: false);

    /// <summary>A writer over a store of its own, which ends with it: for tests that need no commit.</summary>
    public static HeapPages SingleWriter() => new(new HeapStore(), isWritable: true, ownsStore: true);

    public void Dispose()
    {
        VerifyCommitted();
        foreach (nint block in _memory)
            NativeMemory.AlignedFree((void*)block);
        _memory.Clear();
    }

    internal byte* Allocate(int pages)
    {
        void* block = NativeMemory.AlignedAlloc((nuint)pages * PageLayout.PageSize, 4096);
        _memory.Add((nint)block);
        new Span<byte>(block, checked(pages * PageLayout.PageSize)).Fill(0xCD);
        return (byte*)block;
    }

    internal void VerifyCommitted()
    {
        foreach (var (number, page) in Committed)
            if (Hash(page.Memory, page.RunLength) != page.Hash)
                throw new InvalidOperationException($"Committed page {number} was written to without ModifyPage.");
    }

    internal static ulong Hash(byte* memory, int pages)
    {
        var words = new ReadOnlySpan<ulong>(memory, pages * PageLayout.PageSize / 8);
        ulong hash = 14695981039346656037;
        foreach (ulong word in words)
            hash = (hash ^ word) * 1099511628211;
        return hash;
    }
}
