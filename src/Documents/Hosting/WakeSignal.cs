using System.Diagnostics;

namespace Jackdaw.Documents.Hosting;

/// <summary>
/// Wakes one thread. Waiting spins briefly first where that has been paying off: a caller that submits its next write as soon as
/// it was answered comes back
/// within microseconds, and a sleeping thread takes several to wake.
/// </summary>
internal sealed class WakeSignal
{
    private readonly object _monitor = new();
    private readonly long _maxSpinTicks;
    private long _spinTicks;
    private int _isSet;
    private bool _isWaiting;

    /// <param name="maxSpin">The longest spin before the thread sleeps; zero: none.</param>
    public WakeSignal(TimeSpan maxSpin)
    {
        _maxSpinTicks = (long)(maxSpin.TotalSeconds * Stopwatch.Frequency);
        _spinTicks = _maxSpinTicks;
    }

    /// <summary>Lets the waiting thread go on, or the next wait return at once.</summary>
    public void Set()
    {
        if (Interlocked.Exchange(ref _isSet, 1) == 1)
            return;
        lock (_monitor)
        {
            if (_isWaiting)
                Monitor.Pulse(_monitor);
        }
    }

    /// <summary>Returns when set, or after the time.</summary>
    /// <param name="atMost">The longest sleep.</param>
    /// <param name="mayBeSoon">Worth spinning for.</param>
    public void Wait(TimeSpan atMost, bool mayBeSoon = true)
    {
        if (mayBeSoon && Spin())
            return;
        lock (_monitor)
        {
            _isWaiting = true;
            if (Interlocked.Exchange(ref _isSet, 0) == 0)
            {
                Monitor.Wait(_monitor, atMost);
                Interlocked.Exchange(ref _isSet, 0);
            }
            _isWaiting = false;
        }
    }

    private bool Spin()
    {
        if (Interlocked.Exchange(ref _isSet, 0) == 1)
            return true;
        if (_maxSpinTicks == 0)
            return false;
        long began = Stopwatch.GetTimestamp();
        while (Stopwatch.GetTimestamp() - began < _spinTicks)
        {
            Thread.SpinWait(8);
            if (Volatile.Read(ref _isSet) == 1 && Interlocked.Exchange(ref _isSet, 0) == 1)
            {
                _spinTicks = Math.Min(_maxSpinTicks, _spinTicks * 2);
                return true;
            }
        }
        // In vain: less the next time, but never so little that it could not grow again.
        _spinTicks = Math.Max(_maxSpinTicks / 16, _spinTicks / 2);
        return false;
    }
}
