using System.Diagnostics;

namespace Jackdaw.Documents.Hosting;

/// <summary>
/// Wakes lanes when their rest or pause is over. Its thread, <c>step clock</c>, sleeps without a timeout while no lane waits for a
/// time.
/// </summary>
internal sealed class StepClock(Action<Thread> start) : IDisposable
{
    /// <summary>No rest is longer; a lane that is woken too early rests again.</summary>
    private static readonly TimeSpan s_longest = TimeSpan.FromHours(1);

    private readonly object _monitor = new();
    private readonly PriorityQueue<StepLane, long> _due = new();
    private Thread? _thread;
    private bool _isEnding;

    /// <summary>Times that it waits for; none: its thread sleeps without a timeout.</summary>
    public int Waiting
    {
        get
        {
            lock (_monitor)
                return _due.Count;
        }
    }

    /// <summary>Wakes the lane when the time has passed, or earlier when an earlier time was set before.</summary>
    public void Set(StepLane lane, TimeSpan time)
    {
        long ticks = (long)(Math.Clamp(time.TotalSeconds, 0, s_longest.TotalSeconds) * Stopwatch.Frequency);
        long due = Stopwatch.GetTimestamp() + ticks;
        lock (_monitor)
        {
            if (lane.TimerDue <= due || _isEnding)
                return;
            lane.TimerDue = due;
            _due.Enqueue(lane, due);
            if (_due.Peek() == lane)
                Monitor.Pulse(_monitor);
        }
    }

    /// <summary>Starts its thread, so that whoever opens an environment is told when the system refuses one.</summary>
    public void EnsureStarted()
    {
        lock (_monitor)
        {
            if (_thread is not null)
                return;
            var thread = new Thread(Run) { Name = "step clock", IsBackground = true };
            start(thread);
            _thread = thread;
        }
    }

    /// <summary>Drops what was set for a lane that has ended.</summary>
    public void Forget(StepLane lane)
    {
        lock (_monitor)
        {
            if (lane.TimerDue == long.MaxValue)
                return;
            while (_due.Remove(lane, out _, out _)) { }
            lane.TimerDue = long.MaxValue;
        }
    }

    public void Dispose()
    {
        lock (_monitor)
        {
            _isEnding = true;
            Monitor.Pulse(_monitor);
        }
        _thread?.Join();
    }

    private void Run()
    {
        while (Next() is { } lane)
            lane.TimeIsUp();
    }

    /// <summary>Sleeps until a lane is due; null at the end.</summary>
    private StepLane? Next()
    {
        lock (_monitor)
        {
            while (!_isEnding)
            {
                if (!_due.TryPeek(out var lane, out long due))
                {
                    Monitor.Wait(_monitor);
                    continue;
                }
                long left = due - Stopwatch.GetTimestamp();
                if (left > 0)
                {
                    // Rounded up: waking too early would only mean to sleep again.
                    Monitor.Wait(_monitor, (int)(left * 1000 / Stopwatch.Frequency) + 1);
                    continue;
                }
                _due.Dequeue();
                if (lane.TimerDue == due)
                    lane.TimerDue = long.MaxValue;
                return lane;
            }
            return null;
        }
    }
}
