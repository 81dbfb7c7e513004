using Jackdaw.Storage;

namespace Jackdaw.Documents;

/// <summary>Counts who is reading a database, and says when nobody is any more.</summary>
internal sealed class DatabaseUses
{
    private const long ClosingBit = 1L << 62;

    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _state;

    /// <summary>Ends when closing has begun and the last use has ended.</summary>
    public Task Ended => _ended.Task;

    /// <summary>False once closing has begun.</summary>
    public bool TryEnter()
    {
        if ((Interlocked.Increment(ref _state) & ClosingBit) == 0)
            return true;
        Leave();
        return false;
    }

    /// <summary>Adds a use to one that the caller has, also once closing has begun: what is in use has not ended.</summary>
    public void EnterAgain()
    {
        long uses = Interlocked.Increment(ref _state) & ~ClosingBit;
        Invariant.Require(uses > 1);
    }

    public void Leave()
    {
        long left = Interlocked.Decrement(ref _state);
        Invariant.Require((left & ~ClosingBit) >= 0);
        if (left == ClosingBit)
            _ended.TrySetResult();
    }

    public void BeginClosing()
    {
        if (Interlocked.Or(ref _state, ClosingBit) == 0)
            _ended.TrySetResult();
    }
}
