namespace Jackdaw.Documents.Hosting;

/// <summary>
/// Bounds the turns that callers run on their own threads, over all databases: each may block a thread of the pool for a write to
/// the disk.
/// </summary>
/// <param name="most">Turns at a time at most.</param>
internal sealed class CallersTurns(int most)
{
    private int _count;
    private long _run;

    /// <summary>Turns that callers have run.</summary>
    public long Run => Volatile.Read(ref _run);

    /// <summary>False: there are as many as there may be. After true, <see cref="Leave"/>.</summary>
    public bool TryEnter()
    {
        if (Interlocked.Increment(ref _count) <= most)
            return true;
        Interlocked.Decrement(ref _count);
        return false;
    }

    public void Leave() => Interlocked.Decrement(ref _count);

    /// <summary>One of them has executed its operation.</summary>
    public void Count() => Interlocked.Increment(ref _run);
}
