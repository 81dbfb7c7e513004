using System.Diagnostics;
using System.Globalization;

namespace Jackdaw.Documents.Hosting;

/// <summary>
/// Threads that run the lanes of all environments of the server, first come, first served, one turn each. A thread is started when a
/// lane has work and every thread is busy, up to a bound; one that has had nothing to do for a few seconds ends, except the last.
/// docs/decisions/0018-shared-threads.md says why the sets are as large as they are.
/// </summary>
/// <remarks>
/// A thread is among the sleeping ones exactly as long as nobody has woken it. It adds itself under the monitor, where it has just
/// seen that no lane waits. Whoever takes it out, under the monitor, wakes it once; when its time has passed it takes itself out. So
/// one that is not there any more after its sleep has been woken, and uses up that wake before it goes on: no wake is left for a
/// later sleep, and none is given to a thread that runs a lane or has ended. A thread sleeps longer, or ends, only where no lane
/// waits.
/// </remarks>
internal sealed class StepThreadSet : IDisposable
{
    private readonly object _monitor = new();
    private readonly Queue<StepLane> _waiting = new();

    /// <summary>The one that fell asleep last is woken first: the others come to their end.</summary>
    private readonly List<StepThread> _sleeping = [];
    private readonly string _name;
    private readonly int _most;
    private readonly long _maxSpinTicks;
    private readonly Action<Thread> _start;
    private long _spinTicks;
    private int _waitingCount;
    private readonly List<Thread> _threads = [];
    private int _numbers;
    private long _turns;
    private bool _isSpinning;
    private bool _isEnding;

    /// <param name="name">Of its threads, before a number.</param>
    /// <param name="most">Threads at most.</param>
    /// <param name="maxSpin">How long one thread, at most, looks for work before it sleeps; zero: not at all. It looks for the work
    /// of any lane, so no lane has the thread to itself meanwhile.</param>
    /// <param name="clock">Wakes lanes at their time.</param>
    /// <param name="start">A test's chance to fail where the system can refuse a thread.</param>
    public StepThreadSet(string name, int most, TimeSpan maxSpin, StepClock clock, Action<Thread> start)
    {
        _name = name;
        _most = most;
        _maxSpinTicks = _spinTicks = (long)(maxSpin.TotalSeconds * Stopwatch.Frequency);
        Clock = clock;
        _start = start;
    }

    public StepClock Clock { get; }

    /// <summary>A thread beyond the first ends after so long without work.</summary>
    public TimeSpan SurplusSleep { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>A test's chance to act on a thread whose sleep has timed out, before the thread draws its conclusion.</summary>
    internal Action? SleepTimedOut { get; init; }

    /// <summary>Lanes wait for a thread.</summary>
    public bool HasWaiting => Volatile.Read(ref _waitingCount) > 0;

    /// <summary>Threads that there are now.</summary>
    public int Count
    {
        get
        {
            lock (_monitor)
                return _threads.Count;
        }
    }

    /// <summary>Turns that its threads have begun to run.</summary>
    public long Turns
    {
        get
        {
            lock (_monitor)
                return _turns;
        }
    }

    /// <summary>Starts the first thread, so that whoever opens an environment is told when the system refuses one.</summary>
    public void EnsureStarted()
    {
        lock (_monitor)
        {
            if (_threads.Count == 0)
                StartOne();
        }
    }

    /// <summary>The lane has work.</summary>
    internal void Enqueue(StepLane lane)
    {
        lock (_monitor)
        {
            _waiting.Enqueue(lane);
            Volatile.Write(ref _waitingCount, _waiting.Count);
            // A thread that is looking for work takes it.
            if (_isSpinning && _waiting.Count == 1)
                return;
            if (_sleeping.Count > 0)
            {
                var woken = _sleeping[^1];
                _sleeping.RemoveAt(_sleeping.Count - 1);
                woken.Wake();
            }
            else if (_threads.Count < _most)
            {
                TryStartOne();
            }
        }
    }

    /// <summary>Ends the threads. Every lane has ended before.</summary>
    public void Dispose()
    {
        Thread[] threads;
        lock (_monitor)
        {
            _isEnding = true;
            foreach (var thread in _sleeping)
                thread.Wake();
            _sleeping.Clear();
            threads = [.. _threads];
        }
        foreach (var thread in threads)
            thread.Join();
    }

    /// <summary>With a thread already there, one that cannot be started costs time and nothing else.</summary>
    private void TryStartOne()
    {
        try
        {
            StartOne();
        }
        catch (Exception refused) when (_threads.Count > 0 && refused is OutOfMemoryException or ThreadStartException)
        {
            return;
        }
    }

    private void StartOne()
    {
        string name = string.Create(CultureInfo.InvariantCulture, $"{_name} {++_numbers}");
        var thread = new Thread(RunThread) { Name = name, IsBackground = true };
        _start(thread);
        _threads.Add(thread);
    }

    private void RunThread()
    {
        var self = new StepThread();
        bool mayBeSoon = false;
        while (Take(self, mayBeSoon) is { } lane)
            mayBeSoon = lane.Run();
    }

    /// <summary>The next lane; null when this thread is to end.</summary>
    private StepLane? Take(StepThread self, bool mayBeSoon)
    {
        bool spins = false;
        while (true)
        {
            lock (_monitor)
            {
                if (spins)
                    _isSpinning = false;
                if (_waiting.TryDequeue(out var lane))
                {
                    Volatile.Write(ref _waitingCount, _waiting.Count);
                    _turns++;
                    return lane;
                }
                if (_isEnding)
                    return null;
                spins = mayBeSoon && _maxSpinTicks > 0 && !_isSpinning;
                _isSpinning |= spins;
                mayBeSoon = false;
                if (!spins)
                    _sleeping.Add(self);
            }
            if (spins)
                Spin();
            else if (!self.Sleep((int)SurplusSleep.TotalMilliseconds) && !StaysAfterSleep(self))
                return null;
        }
    }

    /// <summary>Its time has passed: it ends, unless it was woken at that moment, a lane waits, or it is the last.</summary>
    private bool StaysAfterSleep(StepThread self)
    {
        SleepTimedOut?.Invoke();
        lock (_monitor)
        {
            if (!_sleeping.Remove(self))
            {
                // Somebody woke it this moment. The wake has been given under the monitor, so this uses it up without sleeping.
                self.Sleep(0);
                return true;
            }
            if (_waiting.Count > 0)
                return true;
            if (_threads.Count > 1)
            {
                _threads.Remove(Thread.CurrentThread);
                return false;
            }
            _sleeping.Add(self);
        }
        // The last one sleeps without a timeout: an idle server has no timer here.
        self.Sleep(Timeout.Infinite);
        return true;
    }

    private void Spin()
    {
        long began = Stopwatch.GetTimestamp();
        while (Stopwatch.GetTimestamp() - began < _spinTicks)
        {
            Thread.SpinWait(8);
            if (!HasWaiting)
                continue;
            _spinTicks = Math.Min(_maxSpinTicks, _spinTicks * 2);
            return;
        }
        // In vain: less the next time, but never so little that it could not grow again.
        _spinTicks = Math.Max(_maxSpinTicks / 16, _spinTicks / 2);
    }
}
