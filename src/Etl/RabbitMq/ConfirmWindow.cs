using Jackdaw.Etl.Sinks;
using Jackdaw.Storage;

namespace Jackdaw.Etl.RabbitMq;

/// <summary>
/// What is published on a channel and not settled yet, by delivery tag. The client's threads tell it what the broker says; the
/// publishing loop waits for that and
/// settles deliveries (<see cref="Collect"/>): no delivery changes behind its back. Bounded by the span of tags, so that one
/// message that is never answered holds the rest.
/// </summary>
internal sealed class ConfirmWindow
{
    private readonly Lock _lock = new();
    private readonly Entry[] _entries;
    private ulong _first = 1;
    private ulong _firstUnanswered = 1;
    private ulong _next = 1;
    private long _answers;
    private ulong _wakeAtSpan;
    private TaskCompletionSource? _answered;
    private volatile TaskCompletionSource _trouble = NewSignal();
    private volatile int _refused;

    /// <param name="capacity">Messages that may be published and not settled.</param>
    public ConfirmWindow(int capacity) => _entries = new Entry[capacity];

    private enum State : byte
    {
        Unanswered,
        Confirmed,
        Refused,

        /// <summary>The loop knows.</summary>
        Collected,
    }

    /// <summary>Messages since the first one that is not collected.</summary>
    public int Uncollected
    {
        get
        {
            lock (_lock)
                return (int)(_next - _first);
        }
    }

    /// <summary>The broker has refused messages (nack) that no <see cref="ForgetRefusals"/> followed yet.</summary>
    public int RefusedCount => _refused;

    /// <summary>Ends with the first call of <see cref="Disturb"/> since the last one of <see cref="Calm"/>.</summary>
    public Task Trouble => _trouble.Task;

    /// <summary>A message is about to be published; returns its tag.</summary>
    public ulong Begin(Delivery delivery, int index)
    {
        lock (_lock)
        {
            Invariant.Require(_next - _first < (ulong)_entries.Length);
            _entries[Slot(_next)] = new Entry { Delivery = delivery, Index = index };
            return _next++;
        }
    }

    /// <summary>The broker has the messages for good, or has returned them.</summary>
    /// <param name="tag">A message's.</param>
    /// <param name="multiple">All up to that one.</param>
    public void Acknowledge(ulong tag, bool multiple) => Answer(tag, multiple, State.Confirmed);

    /// <summary>The broker does not take the messages now.</summary>
    /// <param name="tag">A message's.</param>
    /// <param name="multiple">All up to that one.</param>
    public void Refuse(ulong tag, bool multiple) => Answer(tag, multiple, State.Refused);

    /// <summary>No queue gets the message; it will be acknowledged nevertheless.</summary>
    public void Return(ulong tag, string reason)
    {
        lock (_lock)
        {
            Invariant.Require(tag >= _firstUnanswered && tag < _next);
            _entries[Slot(tag)].Returned = reason;
        }
    }

    /// <summary>Wakes whoever waits: the channel is gone, or the connection blocked.</summary>
    public void Disturb() => _trouble.TrySetResult();

    /// <summary>The trouble is over.</summary>
    public void Calm()
    {
        if (_trouble.Task.IsCompleted)
            _trouble = NewSignal();
    }

    /// <summary>Refused messages are open in their deliveries, and will be published again.</summary>
    public void ForgetRefusals()
    {
        lock (_lock)
            _refused = 0;
    }

    /// <summary>
    /// Waits until at most so many messages follow the first unanswered one (itself included), until one is refused (unless
    /// <paramref name="throughRefusals"/>), or until
    /// there is trouble or <paramref name="orUntil"/> has ended. Throws <see cref="TimeoutException"/> when nothing at all is
    /// answered for that time.
    /// </summary>
    public async Task WaitAsync(int span, bool throughRefusals, Task orUntil, TimeSpan timeout, CancellationToken cancellation)
    {
        while (true)
        {
            Task answered;
            long before;
            lock (_lock)
            {
                if (
                    _next - _firstUnanswered <= (ulong)span
                    || (_refused > 0 && !throughRefusals)
                    || Trouble.IsCompleted
                    || orUntil.IsCompleted
                )
                    return;
                before = _answers;
                _wakeAtSpan = (ulong)span;
                _answered = NewSignal();
                answered = _answered.Task;
            }
            try
            {
                await Task.WhenAny(answered, Trouble, orUntil).WaitAsync(timeout, cancellation).ConfigureAwait(false);
            }
            catch (TimeoutException)
            {
                lock (_lock)
                {
                    if (_answers == before)
                        throw;
                }
            }
        }
    }

    /// <summary>Settles what is answered: confirmations and, for what was returned, rejections. Returns how many, and whether any
    /// was returned.</summary>
    public (int Settled, bool AnyReturned) Collect()
    {
        int settled = 0;
        bool anyReturned = false;
        lock (_lock)
        {
            for (ulong tag = _first; tag < _next; tag++)
            {
                ref var entry = ref _entries[Slot(tag)];
                if (entry.State is State.Unanswered or State.Collected)
                    continue;
                if (entry.State == State.Confirmed)
                {
                    settled++;
                    anyReturned |= entry.Returned is not null;
                    if (entry.Returned is { } reason)
                        entry.Delivery!.Reject(entry.Index, reason);
                    else
                        entry.Delivery!.Confirm(entry.Index);
                }
                entry = new Entry { State = State.Collected };
            }
            _first = _firstUnanswered;
        }
        return (settled, anyReturned);
    }

    /// <summary>Messages that were published behind the last one of a delivery; -1 when nothing of it is left to be collected.</summary>
    public int CountBehind(Delivery delivery)
    {
        lock (_lock)
        {
            for (ulong tag = _next; tag > _first; tag--)
            {
                if (_entries[Slot(tag - 1)].Delivery == delivery)
                    return (int)(_next - tag);
            }
            return -1;
        }
    }

    /// <summary>After <see cref="Collect"/>: what was published and never answered, in the order of publication.</summary>
    public IReadOnlyList<(Delivery Delivery, int Index)> Unanswered()
    {
        var found = new List<(Delivery, int)>();
        lock (_lock)
        {
            for (ulong tag = _firstUnanswered; tag < _next; tag++)
            {
                var entry = _entries[Slot(tag)];
                if (entry.State == State.Unanswered)
                    found.Add((entry.Delivery!, entry.Index));
            }
        }
        return found;
    }

    private static TaskCompletionSource NewSignal() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private int Slot(ulong tag) => (int)(tag % (ulong)_entries.Length);

    private void Answer(ulong tag, bool multiple, State state)
    {
        lock (_lock)
        {
            Invariant.Require(tag < _next);
            for (ulong one = multiple ? _firstUnanswered : Math.Max(tag, _firstUnanswered); one <= tag; one++)
            {
                ref var entry = ref _entries[Slot(one)];
                if (entry.State != State.Unanswered)
                    continue;
                entry.State = state;
                _answers++;
                if (state == State.Refused)
                    _refused++;
            }
            while (_firstUnanswered < _next && _entries[Slot(_firstUnanswered)].State != State.Unanswered)
                _firstUnanswered++;
            if (_answered is { } waiting && (_next - _firstUnanswered <= _wakeAtSpan || _refused > 0))
            {
                _answered = null;
                waiting.TrySetResult();
            }
        }
    }

    private struct Entry
    {
        public Delivery? Delivery;
        public int Index;
        public State State;
        public string? Returned;
    }
}
