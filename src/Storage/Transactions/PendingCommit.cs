using Jackdaw.Storage.Journal;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Storage.Transactions;

/// <summary>A committed transaction on its way to the journal.</summary>
public sealed unsafe class PendingCommit
{
    private readonly NativeArena _arena;
    private JournaledPage* _pages;
    private int _capacity;
    private int _state;
    private readonly StorageEnvironment? _lazy;
    private readonly int _generation;

    internal PendingCommit(NativeArena arena, long transactionId, Snapshot snapshot, Snapshot basedOn, ICommitObserver? observer)
    {
        _arena = arena;
        TransactionId = transactionId;
        Snapshot = snapshot;
        BasedOn = basedOn;
        Observer = observer;
    }

    /// <summary>A commit that was published at once and is journaled with others, later.</summary>
    internal PendingCommit(StorageEnvironment lazy, NativeArena arena, int generation, long transactionId)
        : this(arena, transactionId, snapshot: null!, basedOn: null!, observer: null)
    {
        _lazy = lazy;
        _generation = generation;
    }

    /// <summary>The number of the transaction; of one that changed nothing, that of the transaction it saw.</summary>
    public long TransactionId { get; }

    /// <summary>Its record is in the journal, and so are those of all transactions before it.</summary>
    public bool IsDurable => _lazy?.IsDurable(_generation, TransactionId) ?? Volatile.Read(ref _state) == 1;

    /// <summary>Its journal write, or one before it, failed; or it was rolled back.</summary>
    public bool HasFailed => _lazy?.IsRolledBack(_generation, TransactionId) ?? Volatile.Read(ref _state) == 2;

    internal Snapshot Snapshot { get; }

    /// <summary>Kept alive until the record is made: the old pages of the differences belong to it.</summary>
    internal Snapshot BasedOn { get; }

    internal ICommitObserver? Observer { get; }

    internal int PageCount { get; private set; }

    /// <summary>Worst-case journal bytes, reserved at commit.</summary>
    internal long ReservedBytes { get; set; }

    internal Span<JournaledPage> Pages => new(_pages, PageCount);

    internal void Reserve(int pages)
    {
        _capacity = pages;
        _pages = (JournaledPage*)_arena.Allocate((long)pages * sizeof(JournaledPage));
    }

    internal void Add(in JournaledPage page)
    {
        Invariant.Require(PageCount < _capacity);
        _pages[PageCount++] = page;
    }

    /// <summary>The record has been made: the page list is no longer needed.</summary>
    internal void ReleasePages()
    {
        if (_pages != null)
            _arena.Free(_pages, (long)_capacity * sizeof(JournaledPage));
        _pages = null;
        PageCount = 0;
    }

    internal void End(bool durable)
    {
        Invariant.Require(Interlocked.CompareExchange(ref _state, durable ? 1 : 2, 0) == 0);
    }
}
