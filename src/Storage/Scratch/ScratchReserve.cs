using Jackdaw.Storage.Memory;

namespace Jackdaw.Storage.Scratch;

/// <summary>
/// Empty blocks of scratch that environments have no use for at the moment, kept for whichever needs one next: what a load of documents
/// leaves is taken by the indexes that are built afterwards. Trimmed while nobody needs it. Thread-safe.
/// </summary>
public sealed unsafe class ScratchReserve : IKeptMemory, IDisposable
{
    /// <summary>The bound of a server's reserve, in bytes.</summary>
    public const long DefaultMaxKeptBytes = 64L << 20;

    /// <summary>At most one part in so many of an allowance is kept.</summary>
    private const int PartOfAllowance = 8;

    private readonly NativeArena _arena = new("scratch reserve");
    private readonly MemoryAccount _account;
    private readonly Lock _lock = new();
    private readonly Stack<nint> _blocks = new();
    private int _leastKept;
    private bool _isDisposed;

    /// <param name="allowance">What it draws from, as all environments do that use it.</param>
    /// <param name="maxKeptBytes">The bound on what is kept; never more than an eighth of the allowance.</param>
    public ScratchReserve(MemoryAllowance allowance, long maxKeptBytes = DefaultMaxKeptBytes)
    {
        ArgumentNullException.ThrowIfNull(allowance);
        Invariant.Require(maxKeptBytes >= 0);
        Allowance = allowance;
        _account = allowance.Account(ScratchPool.AccountName);
        MaxKeptBytes = Math.Min(maxKeptBytes, allowance.TotalBytes / PartOfAllowance);
        KeptMemory.Register(this);
    }

    /// <summary>What it draws from.</summary>
    public MemoryAllowance Allowance { get; }

    /// <inheritdoc/>
    public string Owner => ScratchPool.AccountName;

    /// <inheritdoc/>
    public long KeptBytes => _arena.AllocatedBytes;

    /// <inheritdoc/>
    public long MaxKeptBytes { get; }

    /// <inheritdoc/>
    public long Trim()
    {
        nint[] freed;
        lock (_lock)
        {
            freed = new nint[_leastKept];
            for (int i = 0; i < freed.Length; i++)
                freed[i] = _blocks.Pop();
            _leastKept = _blocks.Count;
        }
        // The system takes its time for each: nobody is to wait meanwhile.
        foreach (nint block in freed)
            Free(block);
        return freed.Length * ScratchPool.BlockBytes;
    }

    /// <summary>Frees what is kept. Environments that go on keep nothing here any more.</summary>
    public void Dispose()
    {
        KeptMemory.Unregister(this);
        lock (_lock)
        {
            _isDisposed = true;
            while (_blocks.TryPop(out nint block))
                Free(block);
            _leastKept = 0;
        }
        _arena.Dispose();
    }

    /// <summary>Takes an empty block off a pool's hands; false: enough is kept.</summary>
    /// <param name="block">Its memory.</param>
    /// <param name="arena">The pool's, in which it is counted no more.</param>
    /// <param name="account">The pool's, likewise.</param>
    internal bool TryKeep(byte* block, NativeArena arena, MemoryAccount account)
    {
        lock (_lock)
        {
            if (_isDisposed || (_blocks.Count + 1) * ScratchPool.BlockBytes > MaxKeptBytes)
                return false;
            _arena.Adopt(arena, ScratchPool.BlockBytes);
            Move(account, _account);
            _blocks.Push((nint)block);
        }
        KeptMemory.Keeps();
        return true;
    }

    /// <summary>Gives a block with any content to a pool; null: there is none.</summary>
    internal byte* TryTake(NativeArena arena, MemoryAccount account)
    {
        lock (_lock)
        {
            if (!_blocks.TryPop(out nint block))
                return null;
            _leastKept = Math.Min(_leastKept, _blocks.Count);
            arena.Adopt(_arena, ScratchPool.BlockBytes);
            Move(_account, account);
            return (byte*)block;
        }
    }

    private static void Move(MemoryAccount from, MemoryAccount to)
    {
        if (from == to)
            return;
        to.Take(ScratchPool.BlockBytes);
        from.Return(ScratchPool.BlockBytes);
    }

    private void Free(nint block)
    {
        _arena.Free((void*)block, ScratchPool.BlockBytes);
        _account.Return(ScratchPool.BlockBytes);
    }
}
