using System.Runtime.InteropServices;
using Jackdaw.Storage.Memory;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Scratch;

/// <summary>
/// Native memory for pages that are not in the data file yet. Single pages come from blocks of 128, runs are allocated one by one. What is
/// given back is kept for the next use up to a bound over both, and trimmed while it is not needed. All of it is drawn from the server's
/// allowance. Thread-safe: the writer takes, whoever ends a snapshot gives back.
/// </summary>
internal sealed unsafe class ScratchPool : IKeptMemory, IDisposable
{
    /// <summary>Shown in metrics, for the scratch of all databases together.</summary>
    public const string AccountName = "scratch";

    private const int SlotBytes = ScratchSlot.HeaderSize + PageLayout.PageSize;
    internal const long BlockBytes = (long)SlotBytes * ScratchBlock.Slots;

    /// <summary>What a pool keeps for itself where there is a reserve for all.</summary>
    private const long MaxOwnKeptBytes = 2 * BlockBytes;

    private const int MaxPooledRun = 16;

    /// <summary>While so many bytes of pages are in use, whoever takes another block fills it.</summary>
    private const long PopulatesFromBytes = 8 * BlockBytes;

    /// <summary>While so much of the allowance is taken, nothing is kept: others need it.</summary>
    private const double KeepsNothingFrom = 0.75;

    private readonly NativeArena _arena;
    private readonly MemoryAllowance _allowance;
    private readonly MemoryAccount _account;
    private readonly ScratchReserve? _reserve;
    private readonly Lock _lock = new();
    private readonly List<ScratchBlock?> _blocks = [];
    private readonly Stack<int> _unusedIndexes = [];
    private readonly Stack<ScratchBlock> _empty = [];
    private readonly ScratchSlot*[] _freeRuns = new ScratchSlot*[MaxPooledRun + 1];
    private readonly bool _clears;
    private ScratchBlock? _partial;
    private long _usedBytes;
    private long _keptBytes;
    private long _leastKept;

    /// <param name="owner">Of the native memory.</param>
    /// <param name="clears">New memory begins as zeros: what pages leave undefined is then the same in every run of the simulator.</param>
    /// <param name="maxKeptBytes">The bound on what is kept.</param>
    /// <param name="allowance">What it draws from; null: nobody counts.</param>
    /// <param name="account">The account of the allowance that it is counted in.</param>
    /// <param name="reserve">Takes empty blocks and gives them to others that draw from the same allowance; null: the pool keeps its
    /// own.</param>
    public ScratchPool(
        string owner,
        bool clears = false,
        long maxKeptBytes = 64L << 20,
        MemoryAllowance? allowance = null,
        string account = AccountName,
        ScratchReserve? reserve = null
    )
    {
        Invariant.Require(reserve is null || (reserve.Allowance == allowance && !clears));
        _reserve = reserve;
        _arena = new NativeArena(owner);
        _clears = clears;
        MaxKeptBytes = reserve is null ? maxKeptBytes : Math.Min(maxKeptBytes, MaxOwnKeptBytes);
        _allowance = allowance ?? MemoryAllowance.Unlimited;
        _account = _allowance.Account(account);
        KeptMemory.Register(this);
    }

    /// <inheritdoc/>
    public string Owner => AccountName;

    /// <summary>Bytes of pages in use.</summary>
    public long UsedBytes => Volatile.Read(ref _usedBytes);

    /// <summary>Bytes of blocks and runs that nobody uses.</summary>
    public long KeptBytes => Volatile.Read(ref _keptBytes);

    /// <inheritdoc/>
    public long MaxKeptBytes { get; }

    /// <summary>Bytes taken from the system: those in use, those kept, and the free slots of blocks that are in use in part.</summary>
    public long AllocatedBytes => _arena.AllocatedBytes;

    /// <summary>A slot whose page memory is undefined; its header is cleared but for the run length and the block.</summary>
    public ScratchSlot* Take(int runLength)
    {
        Invariant.Require(runLength > 0);
        ScratchSlot* slot;
        int block = 0;
        lock (_lock)
        {
            if (runLength == 1)
            {
                slot = TakeSingle();
                block = slot->Block;
            }
            else
            {
                slot = TakeRun(runLength);
            }
            _usedBytes += (long)runLength * PageLayout.PageSize;
        }
        *slot = new ScratchSlot { RunLength = runLength, Block = block };
        return slot;
    }

    /// <summary>Gives one slot back.</summary>
    public void Return(ScratchSlot* slot)
    {
        lock (_lock)
            ReturnLocked(slot);
    }

    /// <summary>Gives back a list of slots.</summary>
    public void ReturnAll(ScratchSlot* first)
    {
        if (first == null)
            return;
        lock (_lock)
        {
            while (first != null)
            {
                var next = first->Next;
                ReturnLocked(first);
                first = next;
            }
        }
    }

    /// <inheritdoc/>
    public long Trim()
    {
        lock (_lock)
        {
            long freed = FreeKept(_leastKept);
            _leastKept = _keptBytes;
            return freed;
        }
    }

    public void Dispose()
    {
        KeptMemory.Unregister(this);
        lock (_lock)
        {
            FreeKept(_keptBytes);
            foreach (var block in _blocks)
            {
                if (block is not null)
                    FreeMemory(block.Memory, BlockBytes);
            }
            _blocks.Clear();
            _partial = null;
        }
        _arena.Dispose();
    }

    private static long BytesOf(int runLength) => ScratchSlot.HeaderSize + (long)runLength * PageLayout.PageSize;

    private ScratchSlot* TakeSingle()
    {
        var block = _partial;
        if (block is null)
        {
            block = _empty.Count > 0 ? TakeEmpty() : AddBlock();
            AddPartial(block);
        }
        var slot = block.Free;
        block.Free = slot->Next;
        if (--block.FreeCount == 0)
            RemovePartial(block);
        return slot;
    }

    private ScratchSlot* TakeRun(int runLength)
    {
        var slot = runLength <= MaxPooledRun ? _freeRuns[runLength] : null;
        if (slot == null)
            return (ScratchSlot*)Allocate(BytesOf(runLength));
        _freeRuns[runLength] = slot->Next;
        KeepLess(BytesOf(runLength));
        return slot;
    }

    private void ReturnLocked(ScratchSlot* slot)
    {
        var run = slot->RunLength;
        Invariant.Require(run > 0);
        _usedBytes -= (long)run * PageLayout.PageSize;
        slot->RunLength = 0;
        if (run == 1)
            ReturnSingle(slot);
        else
            ReturnRun(slot, run);
    }

    private void ReturnSingle(ScratchSlot* slot)
    {
        var block = _blocks[slot->Block];
        Invariant.Require(block is not null && block.FreeCount < ScratchBlock.Slots);
        slot->Next = block.Free;
        block.Free = slot;
        if (++block.FreeCount == 1)
            AddPartial(block);
        if (block.FreeCount < ScratchBlock.Slots)
            return;
        RemovePartial(block);
        if (!Keeps(BlockBytes))
        {
            FreeBlock(block, reserves: true);
            return;
        }
        _empty.Push(block);
        KeepMore(BlockBytes);
    }

    private void ReturnRun(ScratchSlot* slot, int run)
    {
        var bytes = BytesOf(run);
        if (run > MaxPooledRun || !Keeps(bytes))
        {
            FreeMemory(slot, bytes);
            return;
        }
        slot->Next = _freeRuns[run];
        _freeRuns[run] = slot;
        KeepMore(bytes);
    }

    private bool Keeps(long bytes) => _keptBytes + bytes <= MaxKeptBytes && _allowance.Pressure < KeepsNothingFrom;

    private void KeepMore(long bytes)
    {
        _keptBytes += bytes;
        KeptMemory.Keeps();
    }

    private void KeepLess(long bytes)
    {
        _keptBytes -= bytes;
        _leastKept = Math.Min(_leastKept, _keptBytes);
    }

    /// <summary>Frees what is kept, largest pieces first, until so much is freed or nothing fits any more.</summary>
    private long FreeKept(long atMost)
    {
        long freed = 0;
        while (_empty.Count > 0 && freed + BlockBytes <= atMost)
        {
            FreeBlock(_empty.Pop(), reserves: false);
            freed += BlockBytes;
        }
        for (var run = MaxPooledRun; run > 1; run--)
        {
            while (_freeRuns[run] != null && freed + BytesOf(run) <= atMost)
            {
                var slot = _freeRuns[run];
                _freeRuns[run] = slot->Next;
                FreeMemory(slot, BytesOf(run));
                freed += BytesOf(run);
            }
        }
        _keptBytes -= freed;
        return freed;
    }

    private byte* Allocate(long bytes)
    {
        var memory = _arena.Allocate(bytes, 4096);
        // What a transaction has begun cannot be refused: new ones wait while too much is taken (StorageEnvironment.ScratchPressure).
        _account.Take(bytes);
        if (_clears)
            NativeMemory.Clear(memory, (nuint)bytes);
        return memory;
    }

    private void FreeMemory(void* memory, long bytes)
    {
        _arena.Free(memory, bytes);
        _account.Return(bytes);
    }

    private ScratchBlock TakeEmpty()
    {
        KeepLess(BlockBytes);
        return _empty.Pop();
    }

    private ScratchBlock AddBlock()
    {
        var memory = _reserve is null ? null : _reserve.TryTake(_arena, _account);
        if (memory == null)
        {
            memory = Allocate(BlockBytes);
            if (_usedBytes >= PopulatesFromBytes)
                NativeArena.Populate(memory, BlockBytes);
        }
        if (!_unusedIndexes.TryPop(out int index))
        {
            index = _blocks.Count;
            _blocks.Add(null);
        }
        var block = new ScratchBlock(memory, index) { FreeCount = ScratchBlock.Slots };
        _blocks[index] = block;
        for (var i = ScratchBlock.Slots - 1; i >= 0; i--)
        {
            var slot = (ScratchSlot*)(memory + (long)i * SlotBytes);
            *slot = new ScratchSlot { Next = block.Free, Block = index };
            block.Free = slot;
        }
        return block;
    }

    private void FreeBlock(ScratchBlock block, bool reserves)
    {
        _blocks[block.Index] = null;
        _unusedIndexes.Push(block.Index);
        bool isHandedOn = reserves && _allowance.Pressure < KeepsNothingFrom && _reserve?.TryKeep(block.Memory, _arena, _account) == true;
        if (!isHandedOn)
            FreeMemory(block.Memory, BlockBytes);
    }

    private void AddPartial(ScratchBlock block)
    {
        block.Previous = null;
        block.Next = _partial;
        if (_partial is not null)
            _partial.Previous = block;
        _partial = block;
    }

    private void RemovePartial(ScratchBlock block)
    {
        if (block.Previous is not null)
            block.Previous.Next = block.Next;
        else
            _partial = block.Next;
        if (block.Next is not null)
            block.Next.Previous = block.Previous;
        block.Previous = block.Next = null;
    }
}
