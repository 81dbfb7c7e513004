namespace Jackdaw.Etl.Running;

/// <summary>What the task is doing: docs/etl.md, "States of a task".</summary>
internal sealed partial class EtlTask
{
    private readonly Lock _stateLock = new();
    private EtlTaskState _state;
    private string? _reason;
    private DateTimeOffset _since;
    private DateTimeOffset? _nextTry;
    private bool _needsPosition;
    private long _pausedSince;
    private TimeSpan _pause;

    public EtlTaskState State
    {
        get
        {
            lock (_stateLock)
                return _state;
        }
    }

    /// <summary>The loop runs no more steps, whatever it is told.</summary>
    public bool HasEnded => State is EtlTaskState.Faulted or EtlTaskState.Closed;

    /// <summary>
    /// Somebody else has the task, or the sink is being asked this moment whether that is so. Whoever orders the task to work
    /// then wants this server to have it: what the
    /// sink answers may have been decided before the order.
    /// </summary>
    public bool IsBeingFenced => _isBeingLetIn || State == EtlTaskState.Fenced;

    /// <summary>Something unexpected has ended the loop.</summary>
    public void Fault(Exception error) => Halt(EtlTaskState.Faulted, error.ToString());

    /// <summary>As people have left it.</summary>
    private EtlTaskState FirstState()
    {
        foreach (var run in _transforms)
            ShowStored(run);
        if (_configuration.Disabled)
            return EtlTaskState.Disabled;
        using var reader = _database.OpenRead("ETL start");
        if (!_orders.IsPaused(reader))
            return EtlTaskState.Running;
        _reason = _orders.WhyNotStarted(reader);
        return EtlTaskState.Paused;
    }

    private void Restart()
    {
        if (_state is EtlTaskState.Disabled or EtlTaskState.Closed or EtlTaskState.Faulted)
            return;
        _scripts.Clear();
        _deliveries.Clear();
        _pauses.Succeeded();
        _pause = TimeSpan.Zero;
        Enter(EtlTaskState.Running, null);
    }

    /// <summary>A fault of the sink: it is opened anew after a pause.</summary>
    private TimeSpan WaitOut(string reason, TimeSpan? askedFor)
    {
        _isOpen = _isAsleep = false;
        _pause = _pauses.Next(askedFor);
        _pausedSince = _options.Clock.GetTimestamp();
        // One that does nothing anyway could not do what it was told just now: it is done later, and nothing else.
        if (WhyAtRest() is null)
            Enter(EtlTaskState.Waiting, reason, nextTry: _options.Clock.GetUtcNow() + _pause);
        _isBeingLetIn = false;
        return _pause;
    }

    private TimeSpan Halt(EtlTaskState state, string? reason, bool needsPosition = false)
    {
        _isOpen = _isAsleep = false;
        Enter(state, reason, needsPosition: needsPosition);
        // Only now: who asks in between must see one or the other.
        _isBeingLetIn = false;
        GiveUpRetries(WhyAtRest()!);
        return Timeout.InfiniteTimeSpan;
    }

    private void Enter(EtlTaskState state, string? reason, DateTimeOffset? nextTry = null, bool needsPosition = false)
    {
        lock (_stateLock)
        {
            if (state != _state)
                _since = _options.Clock.GetUtcNow();
            _state = state;
            _reason = reason;
            _nextTry = nextTry;
            _needsPosition = needsPosition;
        }
    }

    /// <summary>Null while there is something to be done, now or after a pause.</summary>
    private string? WhyAtRest()
    {
        lock (_stateLock)
        {
            return _state is EtlTaskState.Running or EtlTaskState.Idle or EtlTaskState.Waiting
                ? null
                : $"The task is {_state}{(_reason is null ? "." : $": {_reason}")}";
        }
    }
}
