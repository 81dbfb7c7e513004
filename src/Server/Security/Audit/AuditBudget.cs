namespace Jackdaw.Server.Security.Audit;

/// <summary>How many lines of a kind are written in a window of time, and how many were left out. Thread-safe.</summary>
/// <param name="most">Lines in one window.</param>
/// <param name="what">What lines are left out, as a sentence.</param>
internal sealed class AuditBudget(int most, string what)
{
    private int _taken;
    private long _omitted;

    /// <summary>What lines are left out, as a sentence.</summary>
    public string What => what;

    /// <summary>Takes a line of the window's; false when there is none left.</summary>
    public bool TryTake() => Interlocked.Increment(ref _taken) <= most;

    /// <summary>Counts lines that were left out.</summary>
    public void Omit(long lines) => Interlocked.Add(ref _omitted, lines);

    /// <summary>Returns how many lines were left out since the last call.</summary>
    public long TakeOmitted() => Interlocked.Exchange(ref _omitted, 0);

    /// <summary>Another window begins.</summary>
    public void Renew() => Interlocked.Exchange(ref _taken, 0);
}
