using System.Diagnostics.CodeAnalysis;
using System.Threading.Tasks.Sources;
using Jackdaw.Storage;

namespace Jackdaw.Server.Endpoints.EventStreams.Live;

/// <summary>
/// What one live reader was told and has not taken yet. Its members are called under the lock of <see cref="DatabaseLiveReads"/>,
/// except where they say otherwise. While it waits it holds no thread, no timer and no read transaction.
/// </summary>
[SuppressMessage("Design", "CA1001", Justification = "The source of its token has no timer and no handle: there is nothing to free.")]
internal sealed class LiveReader : IValueTaskSource
{
    private readonly int _maxKept;
    private readonly Action _abort;
    private readonly CancellationTokenSource _stop = new();
    private ManualResetValueTaskSourceCore<bool> _signal = new() { RunContinuationsAsynchronously = true };
    private List<long> _told = [];
    private List<long> _taken = [];
    private readonly bool[] _isNameWoken;
    private List<int> _wokenNames = [];
    private List<int> _takenNames = [];
    private long _lastTold;
    private bool _isBehind;
    private bool _isWoken;
    private bool _isBeatDue;
    private bool _isWaiting;
    private long _lastLine;
    private long _sendingSince;

    /// <param name="selection">What it follows.</param>
    /// <param name="after">Nothing at or before this position concerns it.</param>
    /// <param name="maxKept">Positions that are kept for it at most.</param>
    /// <param name="abort">Breaks its connection.</param>
    public LiveReader(LiveSelection selection, long after, int maxKept, Action abort)
    {
        Selection = selection;
        After = after;
        _maxKept = maxKept;
        _abort = abort;
        _isNameWoken = selection.IsNamed ? new bool[selection.Streams.Length + selection.Tags.Length] : [];
    }

    /// <summary>What it follows. May be asked anywhere.</summary>
    public LiveSelection Selection { get; }

    /// <summary>Where its client begins. May be asked anywhere.</summary>
    public long After { get; }

    /// <summary>Why it ends; null: it goes on.</summary>
    public LiveEnd? End { get; private set; }

    /// <summary>Its client has gone.</summary>
    public bool IsGone { get; private set; }

    /// <summary>Cancelled when it is to end. May be asked anywhere.</summary>
    public CancellationToken Stop => _stop.Token;

    /// <summary>Positions that it took with the last <see cref="LiveTask.GiveTold"/>. Its owner's, without the lock.</summary>
    public List<long> Taken => _taken;

    /// <summary>Its names that the last <see cref="LiveTask.Wake"/> concerns. Its owner's, without the lock.</summary>
    public List<int> TakenNames => _takenNames;

    /// <summary>It has to read from its own position.</summary>
    public void FallBehind()
    {
        _isBehind = true;
        _told.Clear();
        Signal();
    }

    /// <summary>An event that concerns it is durable.</summary>
    /// <param name="position">The event's.</param>
    /// <param name="name">Which of its streams and tags the event has; -1: it follows everything.</param>
    /// <returns>False: it falls behind with this one.</returns>
    public bool Tell(long position, int name = -1)
    {
        if (position <= After)
            return true;
        if (name >= 0 && Selection.IsNamed && !_isNameWoken[name])
        {
            _isNameWoken[name] = true;
            _wokenNames.Add(name);
        }
        if (position == _lastTold)
            return true;
        _lastTold = position;
        if (Selection.WakesOnly)
            _isWoken = true;
        else if (Selection.IsAll)
            _isBehind = true;
        else if (!_isBehind && !TryKeep(position))
            return false;
        Signal();
        return true;
    }

    /// <summary>What it does next. What it was told until now is part of that.</summary>
    public LiveTask Take()
    {
        if (End is not null)
            return LiveTask.End;
        if (_isBehind)
        {
            // What it was told after it had fallen behind lies before the position that it catches up to, and was not kept.
            Invariant.Require(_told.Count == 0);
            _isBehind = _isWoken = false;
            TakeNames();
            return LiveTask.CatchUp;
        }
        if (_isWoken)
        {
            _isWoken = false;
            TakeNames();
            return LiveTask.Wake;
        }
        if (_told.Count > 0)
        {
            (_told, _taken) = (_taken, _told);
            _told.Clear();
            return LiveTask.GiveTold;
        }
        if (!_isBeatDue)
            return LiveTask.None;
        _isBeatDue = false;
        return LiveTask.Beat;
    }

    /// <summary>Ends when there is something to take; not while there is.</summary>
    public ValueTask WaitAsync()
    {
        if (End is not null || IsGone || _isBehind || _isWoken || _told.Count > 0 || _isBeatDue)
            return ValueTask.CompletedTask;
        _signal.Reset();
        _isWaiting = true;
        return new ValueTask(this, _signal.Version);
    }

    /// <summary>A heartbeat is sent if it waits and its last line is as old as that.</summary>
    public void Beat(TimeProvider clock, TimeSpan age)
    {
        if (!_isWaiting || clock.GetElapsedTime(Volatile.Read(ref _lastLine)) < age)
            return;
        _isBeatDue = true;
        Signal();
    }

    /// <summary>Its client has left a piece unread for as long as that.</summary>
    public bool IsBlockedFor(TimeProvider clock, TimeSpan time) =>
        Volatile.Read(ref _sendingSince) is var since and > 0 && clock.GetElapsedTime(since) >= time;

    /// <summary>Its owner begins to send. Without the lock.</summary>
    public void NoteSending(TimeProvider clock) => Volatile.Write(ref _sendingSince, Math.Max(1, clock.GetTimestamp()));

    /// <summary>What its owner sent has been taken. Without the lock.</summary>
    public void NoteSent(TimeProvider clock)
    {
        Volatile.Write(ref _lastLine, clock.GetTimestamp());
        Volatile.Write(ref _sendingSince, 0);
    }

    /// <summary>It is to end, for the first reason given.</summary>
    public void Finish(LiveEnd end)
    {
        End ??= end;
        Signal();
    }

    /// <summary>Its client has gone.</summary>
    public void Leave()
    {
        IsGone = true;
        Signal();
    }

    /// <summary>It stops whatever it waits for. Without the lock: what waited goes on here.</summary>
    public void Interrupt() => _stop.Cancel();

    /// <summary>Breaks its connection. Without the lock.</summary>
    public void Abort() => _abort();

    void IValueTaskSource.GetResult(short token) => _signal.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _signal.GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _signal.OnCompleted(continuation, state, token, flags);

    private void TakeNames()
    {
        (_wokenNames, _takenNames) = (_takenNames, _wokenNames);
        _wokenNames.Clear();
        foreach (var name in _takenNames)
            _isNameWoken[name] = false;
    }

    private bool TryKeep(long position)
    {
        if (_told.Count < _maxKept)
        {
            _told.Add(position);
            return true;
        }
        FallBehind();
        return false;
    }

    private void Signal()
    {
        if (!_isWaiting)
            return;
        _isWaiting = false;
        _signal.SetResult(true);
    }
}
