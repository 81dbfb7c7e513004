namespace Jackdaw.Storage.Memory;

/// <summary>
/// Every pool of the process that keeps memory for its next use. It has no thread: <see cref="Trim"/> is called now and then, by
/// one timer for the
/// whole process that runs only while a pool keeps something.
/// </summary>
public static class KeptMemory
{
    private static readonly Lock s_gate = new();
    private static readonly HashSet<IKeptMemory> s_pools = new(ReferenceEqualityComparer.Instance);
    private static Action? s_wakes;
    private static bool s_isWatched;

    /// <summary>Gets or sets what is called, on the thread of a pool, when a pool begins to keep memory and nobody watches
    /// (<see cref="Rest"/>). It must be quick.</summary>
    public static Action? Wakes
    {
        get => Volatile.Read(ref s_wakes);
        set
        {
            Volatile.Write(ref s_isWatched, false);
            Volatile.Write(ref s_wakes, value);
        }
    }

    /// <summary>Shows a pool, and trims it from now on.</summary>
    public static void Register(IKeptMemory pool)
    {
        ArgumentNullException.ThrowIfNull(pool);
        lock (s_gate)
            s_pools.Add(pool);
    }

    /// <summary>Forgets a pool that has ended.</summary>
    public static void Unregister(IKeptMemory pool)
    {
        lock (s_gate)
            s_pools.Remove(pool);
    }

    /// <summary>Called by a pool that keeps memory. Costs a read while somebody watches.</summary>
    public static void Keeps()
    {
        if (Volatile.Read(ref s_isWatched) || Volatile.Read(ref s_wakes) is not { } wakes)
            return;
        if (!Interlocked.Exchange(ref s_isWatched, true))
            wakes();
    }

    /// <summary>Called by whoever watches when there is nothing left to trim: the next pool that keeps something wakes it again.</summary>
    public static void Rest()
    {
        Volatile.Write(ref s_isWatched, false);
        // One that kept something a moment ago believed itself watched.
        if (Pools().Any(pool => pool.KeptBytes > 0))
            Keeps();
    }

    /// <summary>Trims every pool. Returns the bytes given back and the bytes still kept.</summary>
    public static (long Freed, long Kept) Trim()
    {
        long freed = 0;
        long kept = 0;
        foreach (var pool in Pools())
        {
            freed += pool.Trim();
            kept += pool.KeptBytes;
        }
        return (freed, kept);
    }

    /// <summary>Returns the bytes kept now and the bound, for each owner.</summary>
    public static IReadOnlyList<(string Owner, long KeptBytes, long MaxKeptBytes)> Accounts() =>
        [
            .. Pools()
                .GroupBy(pool => pool.Owner, StringComparer.Ordinal)
                .Select(owner => (owner.Key, owner.Sum(pool => pool.KeptBytes), owner.Sum(pool => pool.MaxKeptBytes)))
                .OrderBy(account => account.Key, StringComparer.Ordinal),
        ];

    private static IKeptMemory[] Pools()
    {
        lock (s_gate)
            return [.. s_pools];
    }
}
