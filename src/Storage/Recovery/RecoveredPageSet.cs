using Jackdaw.Storage.Data;
using Jackdaw.Storage.Memory;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Recovery;

/// <summary>Some pages under replay, in memory. Filled by one thread, then written by one, while the other may go on looking at
/// them.</summary>
internal sealed unsafe class RecoveredPageSet : IDisposable
{
    private const int BlockPages = 128;
    private const long BlockBytes = (long)BlockPages * PageLayout.PageSize;

    private readonly NativeArena _arena = new("recovery");
    private readonly Dictionary<long, int> _slots = [];
    private readonly List<nint> _blocks = [];
    private readonly int _maxPages;
    private byte[] _isInterior = new byte[1024];
    private long[] _pageOf = new long[1024];
    private int _used;

    /// <param name="maxPages">How many it holds.</param>
    public RecoveredPageSet(int maxPages) => _maxPages = maxPages;

    public bool IsFull => _used == _maxPages;

    /// <summary>The pages' numbers, ascending.</summary>
    public long[] InOrder()
    {
        var order = _pageOf.AsSpan(0, _used).ToArray();
        Array.Sort(order);
        return order;
    }

    public void Clear()
    {
        _slots.Clear();
        _used = 0;
    }

    /// <summary>The page's memory; null when it is not in the set.</summary>
    public byte* Find(long page) => _slots.TryGetValue(page, out var slot) ? MemoryOf(slot) : null;

    /// <summary>Memory, of any content, for a page that is not in the set, which is not full.</summary>
    public byte* Add(long page)
    {
        Invariant.Require(!IsFull);
        var slot = _used++;
        if (slot == _pageOf.Length)
        {
            Array.Resize(ref _pageOf, slot * 2);
            Array.Resize(ref _isInterior, slot * 2);
        }
        if (slot / BlockPages == _blocks.Count)
            _blocks.Add((nint)_arena.Allocate(BlockBytes, 4096));
        _slots.Add(page, slot);
        _pageOf[slot] = page;
        _isInterior[slot] = 0;
        return MemoryOf(slot);
    }

    /// <summary>Says whether a page of the set is a later page of an overflow run, which has no header.</summary>
    public void SetInterior(long page, bool isInterior) => _isInterior[_slots[page]] = isInterior ? (byte)1 : (byte)0;

    /// <summary>Copies a page of the set as the file is to have it: with its checksum, unless it has no header of its own.</summary>
    public void Stage(long page, byte* target, DataFile data)
    {
        var slot = _slots[page];
        Buffer.MemoryCopy(MemoryOf(slot), target, PageLayout.PageSize, PageLayout.PageSize);
        if (_isInterior[slot] == 0)
            ((PageHeader*)target)->Checksum = data.Checksum(page, target, null, 1);
    }

    public void Dispose()
    {
        foreach (var block in _blocks)
            _arena.Free((void*)block, BlockBytes);
        _arena.Dispose();
    }

    private byte* MemoryOf(int slot) => (byte*)_blocks[slot / BlockPages] + (long)(slot % BlockPages) * PageLayout.PageSize;
}
