namespace Jackdaw.Storage.Memory;

/// <summary>
/// What large users of memory may take together: the scratch of all databases, operations that wait, indexes. Each opens an account, asks
/// (<see cref="MemoryAccount.TryTake"/>), is refused or not, and gives back. Thread-safe.
/// </summary>
public sealed class MemoryAllowance
{
    /// <summary>The share of the process's limit that is handed out by default. The rest is for the managed heap, buffers,
    /// scripts and the page
    /// cache that the data files need.</summary>
    public const double DefaultShare = 0.5;

    private readonly Lock _gate = new();
    private readonly Dictionary<string, MemoryAccount> _accounts = new(StringComparer.Ordinal);
    private long _used;

    /// <param name="totalBytes">What all accounts may take together.</param>
    public MemoryAllowance(long totalBytes)
    {
        Invariant.Require(totalBytes > 0);
        TotalBytes = totalBytes;
    }

    /// <summary>An allowance that refuses nobody, for tools and tests.</summary>
    public static MemoryAllowance Unlimited { get; } = new(long.MaxValue);

    /// <summary>Gets what all accounts may take together, in bytes.</summary>
    public long TotalBytes { get; }

    /// <summary>Gets what they have taken, in bytes. It can exceed the total: see <see cref="MemoryAccount.Take"/>.</summary>
    public long UsedBytes => Interlocked.Read(ref _used);

    /// <summary>Gets the share that is taken; 1 and more: nothing is left.</summary>
    public double Pressure => (double)UsedBytes / TotalBytes;

    /// <summary>Returns the account of an owner, the same for the same name.</summary>
    public MemoryAccount Account(string owner)
    {
        ArgumentException.ThrowIfNullOrEmpty(owner);
        lock (_gate)
        {
            if (!_accounts.TryGetValue(owner, out var account))
                _accounts.Add(owner, account = new MemoryAccount(this, owner));
            return account;
        }
    }

    /// <summary>Returns what each owner has taken, in bytes.</summary>
    public IReadOnlyList<(string Owner, long Bytes)> Accounts()
    {
        lock (_gate)
            return
            [
                .. _accounts.Values.Select(account => (account.Owner, account.UsedBytes)).OrderBy(a => a.Owner, StringComparer.Ordinal),
            ];
    }

    internal bool TryTake(long bytes)
    {
        if (Interlocked.Add(ref _used, bytes) <= TotalBytes)
            return true;
        Interlocked.Add(ref _used, -bytes);
        return false;
    }

    internal void Take(long bytes) => Interlocked.Add(ref _used, bytes);

    internal void Return(long bytes) => Invariant.Require(Interlocked.Add(ref _used, -bytes) >= 0);
}
