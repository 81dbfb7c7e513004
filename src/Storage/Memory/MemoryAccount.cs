namespace Jackdaw.Storage.Memory;

/// <summary>What one owner has taken of a <see cref="MemoryAllowance"/>. Thread-safe.</summary>
public sealed class MemoryAccount
{
    private readonly MemoryAllowance _allowance;
    private long _used;

    internal MemoryAccount(MemoryAllowance allowance, string owner)
    {
        _allowance = allowance;
        Owner = owner;
    }

    /// <summary>Gets what the account is called in metrics.</summary>
    public string Owner { get; }

    /// <summary>Gets what the owner has taken and not given back, in bytes.</summary>
    public long UsedBytes => Interlocked.Read(ref _used);

    /// <summary>Takes memory, or takes nothing and returns false where the allowance has not so much left.</summary>
    public bool TryTake(long bytes)
    {
        Invariant.Require(bytes >= 0);
        if (!_allowance.TryTake(bytes))
            return false;
        Interlocked.Add(ref _used, bytes);
        return true;
    }

    /// <summary>Takes memory whatever is left: for what has been begun and cannot be refused any more. Whoever uses this asks for
    /// less at other
    /// times, so that the allowance is exceeded by little and for moments.</summary>
    public void Take(long bytes)
    {
        Invariant.Require(bytes >= 0);
        _allowance.Take(bytes);
        Interlocked.Add(ref _used, bytes);
    }

    /// <summary>Gives memory back.</summary>
    public void Return(long bytes)
    {
        Invariant.Require(bytes >= 0 && Interlocked.Add(ref _used, -bytes) >= 0);
        _allowance.Return(bytes);
    }
}
