namespace Jackdaw.Indexing.Processes;

/// <summary>
/// Keeps an index's folder open between the moments of an answer: one that was replaced or built again since can still be read, and
/// changes no more. Ends with Dispose, when its database closes, and when the folder must be opened anew. Thread-safe.
/// </summary>
public sealed class IndexLease : IDisposable
{
    private readonly Index _index;
    private readonly IndexFolder _folder;
    private readonly CancellationTokenRegistration _closing;
    private int _hasEnded;

    /// <summary>The lease itself, and readings.</summary>
    private int _uses = 1;

    /// <param name="index">The index.</param>
    /// <param name="folder">In use; the use ends with the lease.</param>
    /// <param name="closing">Its database closes.</param>
    internal IndexLease(Index index, IndexFolder folder, CancellationToken closing)
    {
        _index = index;
        _folder = folder;
        bool isKept = folder.TryAdd(this);
        // Last: it may end at once.
        _closing = closing.UnsafeRegister(static lease => ((IndexLease)lease!).Dispose(), this);
        if (!isKept)
            Dispose();
    }

    /// <summary>The folder is kept no more.</summary>
    public bool HasEnded => Volatile.Read(ref _hasEnded) != 0;

    /// <summary>Opens a reader at the folder's newest commit; null when the lease has ended.</summary>
    public IndexReading? TryOpenRead(string purpose)
    {
        if (HasEnded || !TryAddUse())
            return null;
        try
        {
            return new IndexReading(_index, _folder, purpose, EndUse);
        }
        catch
        {
            EndUse();
            throw;
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _hasEnded, 1) != 0)
            return;
        _closing.Unregister();
        _folder.Remove(this);
        EndUse();
    }

    /// <summary>An environment that is closing takes no new uses: readings share that of the lease.</summary>
    private bool TryAddUse()
    {
        int uses = Volatile.Read(ref _uses);
        while (uses > 0)
        {
            int seen = Interlocked.CompareExchange(ref _uses, uses + 1, uses);
            if (seen == uses)
                return true;
            uses = seen;
        }
        return false;
    }

    private void EndUse()
    {
        if (Interlocked.Decrement(ref _uses) == 0)
            _folder.Environment.EndUse();
    }
}
