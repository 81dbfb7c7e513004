using Jackdaw.Indexing.Definitions;
using Jackdaw.Storage;

namespace Jackdaw.Indexing.Processes;

/// <summary>
/// An index's place among those that take turns (<see cref="IndexTurns"/>). It runs on one thread at a time, and while it rests it has
/// neither a thread nor a timer. Thread-safe; its state is guarded by the monitor of the turns.
/// </summary>
internal sealed class IndexTurn
{
    private readonly IndexTurns _turns;
    private readonly Func<TurnRest> _run;
    private readonly List<TaskCompletionSource> _held = [];
    private TurnState _state;
    private bool _isWoken;
    private int _holds;
    private ITimer? _timer;

    /// <param name="turns">Run it.</param>
    /// <param name="run">One turn; must not throw.</param>
    public IndexTurn(IndexTurns turns, Func<TurnRest> run)
    {
        _turns = turns;
        _run = run;
    }

    private enum TurnState
    {
        Resting,
        Queued,
        Running,
        Pausing,
        Ended,
    }

    /// <summary>Which turn comes first.</summary>
    public IndexPriority Priority { get; set; } = IndexPriority.Normal;

    /// <summary>There may be something to do. While it pauses, it runs when the pause is over.</summary>
    public void Wake()
    {
        lock (_turns.Monitor)
            WakeLocked();
    }

    /// <summary>As <see cref="Wake"/>, and ends a pause.</summary>
    public void WakeNow()
    {
        lock (_turns.Monitor)
        {
            if (_state == TurnState.Pausing)
                _state = TurnState.Resting;
            WakeLocked();
        }
    }

    /// <summary>A resting one rests at least so long, and has a turn then.</summary>
    public void PauseFor(TimeSpan time)
    {
        lock (_turns.Monitor)
        {
            if (_state == TurnState.Resting)
                PauseLocked(time);
            else if (_state == TurnState.Queued)
                return;
            _isWoken = true;
        }
    }

    /// <summary>No turn begins until <see cref="Release"/>; the task ends with the turn that runs.</summary>
    public Task HoldAsync()
    {
        lock (_turns.Monitor)
        {
            _holds++;
            if (_state == TurnState.Queued)
            {
                _state = TurnState.Resting;
                _isWoken = true;
            }
            if (_state != TurnState.Running)
                return Task.CompletedTask;
            var held = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            _held.Add(held);
            return held.Task;
        }
    }

    /// <summary>Ends a hold.</summary>
    public void Release()
    {
        lock (_turns.Monitor)
        {
            Invariant.Require(_holds > 0);
            if (--_holds == 0 && _isWoken)
                WakeLocked();
        }
    }

    /// <summary>No turn begins any more. Held, and so not running.</summary>
    public void End()
    {
        lock (_turns.Monitor)
        {
            Invariant.Require(_state != TurnState.Running);
            _state = TurnState.Ended;
            _timer?.Dispose();
        }
    }

    /// <summary>It has come to the front of the queue; false: it is not to run after all. Under the monitor.</summary>
    internal bool TryBegin()
    {
        if (_state != TurnState.Queued)
            return false;
        _state = TurnState.Running;
        _isWoken = false;
        return true;
    }

    internal TurnRest Run() => _run();

    /// <summary>Its turn is over. Under the monitor.</summary>
    internal void EndTurn(TurnRest rest)
    {
        Invariant.Require(_state == TurnState.Running);
        _state = TurnState.Resting;
        _isWoken |= rest == TurnRest.Again;
        if (rest.Pause > TimeSpan.Zero)
        {
            PauseLocked(rest.Pause);
        }
        else if (_isWoken)
        {
            WakeLocked();
        }
        foreach (var held in _held)
            held.TrySetResult();
        _held.Clear();
    }

    private void PauseLocked(TimeSpan time)
    {
        _state = TurnState.Pausing;
        _timer ??= _turns.Clock.CreateTimer(PauseEnded, null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        _timer.Change(time, Timeout.InfiniteTimeSpan);
    }

    private void PauseEnded(object? state)
    {
        lock (_turns.Monitor)
        {
            if (_state != TurnState.Pausing)
                return;
            _state = TurnState.Resting;
            WakeLocked();
        }
    }

    private void WakeLocked()
    {
        switch (_state)
        {
            case TurnState.Resting when _holds == 0:
                _state = TurnState.Queued;
                _turns.Enqueue(this);
                break;
            case TurnState.Resting or TurnState.Running or TurnState.Pausing:
                _isWoken = true;
                break;
        }
    }
}
