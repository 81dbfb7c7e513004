using Jackdaw.Documents.Layout;
using Jackdaw.Storage;

namespace Jackdaw.Documents.Writing;

/// <summary>
/// Knows without reading when something is due: for each kind of date a lower bound of the dates in the database. It changes on the
/// merger's thread only, in the order of the transactions, and is read on any.
/// </summary>
internal sealed class DueDates
{
    /// <summary>There is no date.</summary>
    public const long Never = long.MaxValue;

    /// <summary>There may be a date that has passed.</summary>
    public const long Unknown = long.MinValue;

    private readonly long[] _lowest = [Unknown, Unknown];
    private bool _isRaised;

    /// <summary>Called when a date became known that is earlier than all others; must be quick and must not throw.</summary>
    public Action? Lowered { get; set; }

    /// <summary>UTC ticks that no date of the kind lies before; or <see cref="Never"/> or <see cref="Unknown"/>.</summary>
    public long Lowest(DocumentDateKind kind) => Volatile.Read(ref _lowest[(int)kind]);

    /// <summary>A document gets a date.</summary>
    public void Note(DocumentDateKind kind, long ticks)
    {
        if (ticks >= Lowest(kind))
            return;
        Volatile.Write(ref _lowest[(int)kind], ticks);
        Lowered?.Invoke();
    }

    /// <summary>The first date that is left in the transaction: counts from now on, and no longer if the transaction is dropped.</summary>
    public void Raise(DocumentDateKind kind, long ticks)
    {
        Invariant.Require(ticks >= 0);
        Volatile.Write(ref _lowest[(int)kind], ticks);
        _isRaised = true;
    }

    /// <summary>The transaction before has been committed, or had nothing to commit.</summary>
    public void Keep() => _isRaised = false;

    /// <summary>The transaction is dropped: what was removed in it is there again.</summary>
    public void Drop()
    {
        if (!_isRaised)
            return;
        _isRaised = false;
        Forget();
    }

    /// <summary>Nothing is known any more.</summary>
    public void Forget()
    {
        for (int kind = 0; kind < _lowest.Length; kind++)
            Volatile.Write(ref _lowest[kind], Unknown);
        Lowered?.Invoke();
    }
}
