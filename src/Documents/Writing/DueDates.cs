using Jackdaw.Storage;

namespace Jackdaw.Documents.Writing;

/// <summary>
/// Knows without reading when something is due: for each kind of date a lower bound of the dates in the database. It changes on the
/// merger's thread only, in the order in which operations are executed, and is read on any. An operation that is refused after it
/// raised the bound is submitted again, and finds the bound anew.
/// </summary>
internal sealed class DueDates
{
    /// <summary>There is no date.</summary>
    public const long Never = long.MaxValue;

    /// <summary>There may be a date that has passed.</summary>
    public const long Unknown = long.MinValue;

    private readonly long[] _lowest = [Unknown, Unknown];

    /// <summary>Called when a document gets a date that is earlier than all others; must be quick and must not throw.</summary>
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

    /// <summary>This is the first date that is left.</summary>
    public void Raise(DocumentDateKind kind, long ticks)
    {
        Invariant.Require(ticks >= 0);
        Volatile.Write(ref _lowest[(int)kind], ticks);
    }
}
