using Jackdaw.Etl.Messages;
using Jackdaw.Storage;

namespace Jackdaw.Etl.Sinks;

/// <summary>
/// The messages of a batch and how far each is. A message is settled once: confirmed or rejected. Thread-safe, for sinks' answers
/// come on any thread.
/// </summary>
internal sealed class Delivery
{
    private readonly Lock _lock = new();
    private readonly State[] _states;
    private readonly string?[] _reasons;
    private readonly int[] _attempts;
    private int _prefix;
    private volatile int _settled;
    private volatile bool _isStopping;
    private Delivery? _next;
    private TaskCompletionSource _followed = NewSignal();

    /// <param name="messages">At least none.</param>
    /// <param name="position">See <see cref="Position"/>.</param>
    public Delivery(IReadOnlyList<OutboundMessage> messages, SinkPosition position = default)
    {
        Messages = messages;
        Position = position;
        _states = new State[messages.Count];
        _reasons = new string?[messages.Count];
        _attempts = new int[messages.Count];
    }

    private enum State : byte
    {
        Open,
        Confirmed,
        Rejected,

        /// <summary>Its dead letter is durable.</summary>
        Buried,
    }

    /// <summary>In the order of changes and calls.</summary>
    public IReadOnlyList<OutboundMessage> Messages { get; }

    /// <summary>The transform and its position once every message is settled: for a sink that keeps it
    /// (<see cref="IPositionKeeper"/>).</summary>
    public SinkPosition Position { get; set; }

    /// <summary>The sink keeps <see cref="Position"/>.</summary>
    public bool IsPositionKept { get; private set; }

    /// <summary>
    /// The task is being closed: a sink begins nothing new but what leaves no open message in front of one that was begun, nor
    /// one behind it of the same change, and
    /// returns when that is settled.
    /// </summary>
    public bool IsStopping => _isStopping;

    /// <summary>See <see cref="IsStopping"/>. From any thread.</summary>
    public void Stop() => _isStopping = true;

    /// <summary>
    /// The delivery behind this one, as soon as there is one, for a sink that reaches ahead (<see cref="ISink.ReachesAhead"/>):
    /// it may begin that when it has begun all of
    /// this one. Null: none, or none yet.
    /// </summary>
    public Delivery? Next
    {
        get
        {
            lock (_lock)
                return _next;
        }
        set
        {
            lock (_lock)
            {
                _next = value;
                if (value is not null)
                    _followed.TrySetResult();
                else if (_followed.Task.IsCompleted)
                    _followed = NewSignal();
            }
        }
    }

    /// <summary>Ends when there is a <see cref="Next"/>.</summary>
    public Task Followed
    {
        get
        {
            lock (_lock)
                return _followed.Task;
        }
    }

    /// <summary>
    /// Kept by a sink that reaches ahead: of the messages before this index it need begin none, for they are settled or on their
    /// way. <c>Reopen</c> makes it 0.
    /// </summary>
    public int Begun { get; set; }

    /// <summary>A sink has nothing more to do with any message.</summary>
    public bool AreAllSettled => _settled == Messages.Count;

    /// <summary>
    /// Is an earlier message of the same change in front of this one? Then it belongs to what was begun: a position passes whole
    /// changes, so half of one would come again.
    /// </summary>
    public bool IsWithinChange(int index) => index > 0 && Messages[index].Origin.Etag == Messages[index - 1].Origin.Etag;

    /// <summary>Every message is confirmed, or its dead letter durable.</summary>
    public bool IsComplete => SettledPrefix == Messages.Count;

    /// <summary>Messages at the beginning that are all settled for good: confirmed, or their dead letters durable.</summary>
    public int SettledPrefix
    {
        get
        {
            lock (_lock)
            {
                while (_prefix < _states.Length && _states[_prefix] is State.Confirmed or State.Buried)
                    _prefix++;
                return _prefix;
            }
        }
    }

    /// <summary>Has a sink nothing more to do with this message?</summary>
    public bool IsSettled(int index)
    {
        lock (_lock)
            return _states[index] != State.Open;
    }

    /// <summary>Is it confirmed, or its dead letter durable?</summary>
    public bool IsSettledForGood(int index)
    {
        lock (_lock)
            return _states[index] is State.Confirmed or State.Buried;
    }

    /// <summary>Did it become a dead letter?</summary>
    public bool IsBuried(int index)
    {
        lock (_lock)
            return _states[index] == State.Buried;
    }

    /// <summary>How often a sink has begun to send the message.</summary>
    public int Attempts(int index)
    {
        lock (_lock)
            return _attempts[index];
    }

    /// <summary>The receiver has it for good.</summary>
    public void Confirm(int index) => Settle(index, State.Confirmed, null);

    /// <summary>The receiver has every message that was open, and keeps the position, for good.</summary>
    public void ConfirmRest()
    {
        for (int i = 0; i < Messages.Count; i++)
        {
            if (!IsSettled(i))
                Confirm(i);
        }
        IsPositionKept = true;
    }

    /// <summary>The receiver will never take it, for a reason that goes into the dead letter.</summary>
    public void Reject(int index, string reason) => Settle(index, State.Rejected, reason);

    /// <summary>Indexes and reasons of what was rejected and is not buried yet.</summary>
    public IReadOnlyList<(int Index, string Reason)> Rejections()
    {
        var found = new List<(int, string)>();
        lock (_lock)
        {
            for (int i = 0; i < _states.Length; i++)
            {
                if (_states[i] == State.Rejected)
                    found.Add((i, _reasons[i]!));
            }
        }
        return found;
    }

    /// <summary>The dead letter of a rejected message is durable.</summary>
    public void Bury(int index)
    {
        lock (_lock)
        {
            Invariant.Require(_states[index] == State.Rejected);
            _states[index] = State.Buried;
        }
    }

    /// <summary>A sink begins to send an open message; returns the how manieth time that is, from 1.</summary>
    public int Try(int index)
    {
        lock (_lock)
        {
            Invariant.Require(_states[index] == State.Open);
            return ++_attempts[index];
        }
    }

    /// <summary>
    /// After a fault in which what was on its way is lost: what was confirmed behind an open message of the same key is sent
    /// again, so that receivers have the key's messages
    /// in order from there on.
    /// </summary>
    /// <param name="inOrder">All that has been begun and is not settled, in the order of sending: a key's messages may lie in
    /// several.</param>
    public static void Reopen(params IEnumerable<Delivery> inOrder)
    {
        var openKeys = new HashSet<string>(StringComparer.Ordinal);
        foreach (var delivery in inOrder)
            delivery.Reopen(openKeys);
    }

    /// <summary>Settled messages, wherever they stand.</summary>
    public int SettledCount => _settled;

    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private void Reopen(HashSet<string> openKeys)
    {
        lock (_lock)
        {
            Begun = 0;
            for (int i = 0; i < _states.Length; i++)
            {
                if (_states[i] == State.Open)
                {
                    openKeys.Add(Messages[i].Key);
                }
                else if (_states[i] == State.Confirmed && openKeys.Contains(Messages[i].Key))
                {
                    _states[i] = State.Open;
                    _settled--;
                    // The key's open message may be in a delivery before this one.
                    _prefix = Math.Min(_prefix, i);
                }
            }
        }
    }

    private void Settle(int index, State state, string? reason)
    {
        lock (_lock)
        {
            Invariant.Require(_states[index] == State.Open);
            _states[index] = state;
            _reasons[index] = reason;
            _settled++;
        }
    }
}
