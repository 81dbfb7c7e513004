using System.Runtime.InteropServices;
using Jackdaw.Storage.Memory;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Scratch;

/// <summary>
/// Native memory for pages that are not in the data file yet. Single pages come from blocks of 128 and are reused from a free
/// list; runs are
/// allocated one by one. Thread-safe: the writer takes, whoever ends a snapshot gives back.
/// </summary>
internal sealed unsafe class ScratchPool : IDisposable
{
    private const int SlotBytes = ScratchSlot.HeaderSize + PageLayout.PageSize;
    private const int SlotsPerBlock = 128;
    private const int MaxPooledRun = 16;

    private readonly NativeArena _arena;
    private readonly Lock _lock = new();
    private readonly List<nint> _blocks = [];
    private readonly ScratchSlot*[] _free = new ScratchSlot*[MaxPooledRun + 1];
    private readonly bool _clears;
    private long _usedBytes;

    /// <param name="owner">Of the account.</param>
    /// <param name="clears">New memory begins as zeros: what pages leave undefined is then the same in every run of the simulator.</param>
    public ScratchPool(string owner, bool clears = false)
    {
        _arena = new NativeArena(owner);
        _clears = clears;
    }

    /// <summary>Bytes of pages in use (not the pool's free slots).</summary>
    public long UsedBytes => Volatile.Read(ref _usedBytes);

    /// <summary>Bytes taken from the system.</summary>
    public long AllocatedBytes => _arena.AllocatedBytes;

    /// <summary>A slot whose page memory is undefined; its header is cleared but for the run length.</summary>
    public ScratchSlot* Take(int runLength)
    {
        Invariant.Require(runLength > 0);
        ScratchSlot* slot;
        lock (_lock)
        {
            slot = runLength <= MaxPooledRun ? _free[runLength] : null;
            if (slot != null)
                _free[runLength] = slot->Next;
            else
                slot = runLength == 1 ? AddBlock() : (ScratchSlot*)Allocate(BytesOf(runLength));
            _usedBytes += (long)runLength * PageLayout.PageSize;
        }
        *slot = new ScratchSlot { RunLength = runLength };
        return slot;
    }

    /// <summary>Gives one slot back.</summary>
    public void Return(ScratchSlot* slot)
    {
        lock (_lock)
            ReturnLocked(slot);
    }

    /// <summary>Gives back every slot of the list up to <paramref name="oldestLive"/>; returns the first that stays.</summary>
    public ScratchSlot* ReturnRetired(ScratchSlot* first, long oldestLive)
    {
        if (first == null || first->RetiredAt > oldestLive)
            return first;
        lock (_lock)
        {
            while (first != null && first->RetiredAt <= oldestLive)
            {
                var next = first->Next;
                ReturnLocked(first);
                first = next;
            }
        }
        return first;
    }

    public void Dispose()
    {
        lock (_lock)
        {
            for (var run = 2; run <= MaxPooledRun; run++)
            {
                while (_free[run] != null)
                {
                    var slot = _free[run];
                    _free[run] = slot->Next;
                    _arena.Free(slot, BytesOf(run));
                }
            }
            foreach (var block in _blocks)
                _arena.Free((void*)block, (long)SlotBytes * SlotsPerBlock);
            _blocks.Clear();
            _free[1] = null;
        }
        _arena.Dispose();
    }

    private static long BytesOf(int runLength) => ScratchSlot.HeaderSize + (long)runLength * PageLayout.PageSize;

    private void ReturnLocked(ScratchSlot* slot)
    {
        var run = slot->RunLength;
        Invariant.Require(run > 0);
        _usedBytes -= (long)run * PageLayout.PageSize;
        slot->RunLength = 0;
        if (run > MaxPooledRun)
        {
            _arena.Free(slot, BytesOf(run));
            return;
        }
        slot->Next = _free[run];
        _free[run] = slot;
    }

    private byte* Allocate(long bytes)
    {
        var memory = _arena.Allocate(bytes, 4096);
        if (_clears)
            NativeMemory.Clear(memory, (nuint)bytes);
        return memory;
    }

    private ScratchSlot* AddBlock()
    {
        var block = Allocate((long)SlotBytes * SlotsPerBlock);
        _blocks.Add((nint)block);
        for (var i = SlotsPerBlock - 1; i >= 1; i--)
        {
            var slot = (ScratchSlot*)(block + (long)i * SlotBytes);
            slot->RunLength = 0;
            slot->Next = _free[1];
            _free[1] = slot;
        }
        return (ScratchSlot*)block;
    }
}
