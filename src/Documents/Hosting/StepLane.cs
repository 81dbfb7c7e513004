using Jackdaw.Storage;

namespace Jackdaw.Documents.Hosting;

/// <summary>
/// Steps that must run one after another, for one owner: a database's merger, an environment's journal, its background work. A lane
/// has no thread. While it has work it waits in the queue of a <see cref="StepThreadSet"/>, and one thread of the set runs it for
/// one turn. A lane that rests costs neither a thread nor a timer.
/// </summary>
internal sealed class StepLane
{
    private const int Idle = 0;
    private const int Queued = 1;
    private const int Running = 2;

    /// <summary>Somebody woke it while it was running: it runs once more.</summary>
    private const int RunningAndWoken = 3;
    private const int Paused = 4;
    private const int HasEnded = 5;

    private readonly StepThreadSet _threads;
    private readonly Func<StepRest> _turn;
    private readonly Func<Exception, StepRest> _failed;
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _state;

    /// <param name="threads">Run it.</param>
    /// <param name="turn">One turn: some steps, bounded, without sleeping.</param>
    /// <param name="failed">Handles whatever a turn throws; must not throw itself.</param>
    public StepLane(StepThreadSet threads, Func<StepRest> turn, Func<Exception, StepRest> failed)
    {
        _threads = threads;
        _turn = turn;
        _failed = failed;
    }

    /// <summary>Completes when a turn has returned <see cref="StepRest.Ended"/>.</summary>
    public Task Ended => _ended.Task;

    /// <summary>When the clock wakes it next, in ticks of the stopwatch. The clock's own.</summary>
    internal long TimerDue { get; set; } = long.MaxValue;

    /// <summary>The lane has work. From any thread; takes no lock when the lane is running or queued already.</summary>
    public void Wake()
    {
        // The caller's work must be visible before the state is read: otherwise the lane could miss both.
        Interlocked.MemoryBarrier();
        while (true)
        {
            switch (Volatile.Read(ref _state))
            {
                case Idle:
                    if (Interlocked.CompareExchange(ref _state, Queued, Idle) != Idle)
                        break;
                    _threads.Enqueue(this);
                    return;
                case Running:
                    if (Interlocked.CompareExchange(ref _state, RunningAndWoken, Running) == Running)
                        return;
                    break;
                default:
                    return;
            }
        }
    }

    /// <summary>The time of a rest or a pause has passed.</summary>
    internal void TimeIsUp()
    {
        if (Interlocked.CompareExchange(ref _state, Queued, Paused) == Paused)
            _threads.Enqueue(this);
        else
            Wake();
    }

    /// <summary>Runs it on this thread: one turn, and further ones while it has work and no other lane waits.</summary>
    /// <returns>Whether spinning for the next work may pay.</returns>
    internal bool Run()
    {
        while (true)
        {
            // A full fence: what was noted before a wake that found the lane queued is seen by this turn.
            int former = Interlocked.Exchange(ref _state, Running);
            Invariant.Require(former == Queued);
            var rest = Turn();
            if (Settle(rest))
                return rest.MayBeSoon;
            if (!_threads.HasWaiting)
                continue;
            _threads.Enqueue(this);
            return false;
        }
    }

    /// <summary>Runs a turn of another kind on this thread, if the lane is at rest; what is to be done afterwards the threads of the
    /// set do. False: it is not at rest, and nothing was run.</summary>
    /// <param name="turn">The turn; what it throws is handled as what an ordinary turn throws.</param>
    /// <param name="argument">The turn's.</param>
    internal bool TryRunHere<T>(Func<T, StepRest> turn, T argument)
    {
        if (Interlocked.CompareExchange(ref _state, Running, Idle) != Idle)
            return false;
        StepRest rest;
        try
        {
            rest = turn(argument);
        }
        catch (Exception fault)
        {
            rest = _failed(fault);
        }
        if (!Settle(rest))
            _threads.Enqueue(this);
        return true;
    }

    /// <summary>After a turn. False: there is more to do, and the lane is marked as queued, which its caller must see to.</summary>
    private bool Settle(in StepRest rest)
    {
        switch (rest.Kind)
        {
            case StepRestKind.Ended:
                Volatile.Write(ref _state, HasEnded);
                _threads.Clock.Forget(this);
                _ended.TrySetResult();
                return true;
            case StepRestKind.Pause:
                Volatile.Write(ref _state, Paused);
                _threads.Clock.Set(this, rest.Time);
                return true;
            case StepRestKind.Rest:
                if (rest.Time != Timeout.InfiniteTimeSpan)
                    _threads.Clock.Set(this, rest.Time);
                if (Interlocked.CompareExchange(ref _state, Idle, Running) == Running)
                    return true;
                break;
            default:
                break;
        }
        Volatile.Write(ref _state, Queued);
        return false;
    }

    private StepRest Turn()
    {
        try
        {
            return _turn();
        }
        catch (Exception fault)
        {
            // Whatever it is, it concerns this lane's owner alone: the thread goes on with other lanes.
            return _failed(fault);
        }
    }
}
