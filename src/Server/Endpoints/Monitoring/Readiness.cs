namespace Jackdaw.Server.Endpoints.Monitoring;

/// <summary>
/// What anybody may ask for, at the cost of once a second at most: finding out walks over all databases and their tasks. Thread-safe.
/// </summary>
internal sealed class Readiness
{
    /// <summary>For so long an answer holds.</summary>
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private readonly TimeProvider _clock;
    private long _foundAt;
    private long _found;
    private int _isFinding;
    private volatile bool _isDegraded;

    public Readiness(TimeProvider? clock = null) => _clock = clock ?? TimeProvider.System;

    /// <summary>How often it was found out.</summary>
    public long Found => Volatile.Read(ref _found);

    /// <summary>Returns whether something of the server has stopped. While one request finds that out, others get the answer before, which
    /// is false at first.</summary>
    /// <param name="find">Finds out.</param>
    public bool IsDegraded(Func<bool> find)
    {
        var isFresh = Found > 0 && _clock.GetElapsedTime(Volatile.Read(ref _foundAt)) < Interval;
        if (isFresh || Interlocked.CompareExchange(ref _isFinding, 1, 0) != 0)
            return _isDegraded;
        try
        {
            var isDegraded = find();
            _isDegraded = isDegraded;
            Volatile.Write(ref _foundAt, _clock.GetTimestamp());
            Volatile.Write(ref _found, _found + 1);
            return isDegraded;
        }
        finally
        {
            Volatile.Write(ref _isFinding, 0);
        }
    }
}
