using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.Tests;

/// <summary>
/// A sink that reaches ahead, over a wire: what is sent arrives in order, is answered in any order, and what has not arrived is
/// lost with the wire. It goes wrong as
/// <see cref="WireTrouble"/> dictates.
/// </summary>
internal sealed class ReachingSink(WireTrouble trouble, List<Received> ledger) : ISink
{
    private readonly Random _random = trouble.Random;
    private readonly Queue<(Delivery Delivery, int Index, int Attempt)> _wire = [];
    private readonly List<(Delivery Delivery, int Index)> _unanswered = [];
    private readonly ManualResetEventSlim _ended = new(true);
    private TaskCompletionSource? _held;
    private bool _isBlocked;
    private bool _isAnythingLost;
    private bool _isAnyRefused;

    public bool AllowsRoutingKeys => false;

    public bool ReachesAhead => true;

    public Task OpenAsync(CancellationToken cancellation)
    {
        if (_isBlocked && trouble.Happens(2))
        {
            Cut();
            _isAnythingLost = true;
        }
        else if (_isBlocked && trouble.Happens(1))
        {
            throw Blocked();
        }
        _isBlocked = false;
        return Task.CompletedTask;
    }

    public async Task DeliverAsync(Delivery delivery, CancellationToken cancellation)
    {
        Xunit.Assert.True(_ended.IsSet, "It is called while it delivers.");
        _ended.Reset();
        try
        {
            if (_isAnythingLost)
            {
                _isAnythingLost = false;
                throw new SinkException(SinkFault.Sink, "Lost meanwhile.");
            }
            await SettleAsync(delivery);
        }
        finally
        {
            _ended.Set();
        }
    }

    /// <summary>A delivery goes on, and this returns when it has ended: what is drawn at random is drawn in one order.</summary>
    public void Release()
    {
        _held?.TrySetResult();
        _ended.Wait();
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;

    private async Task SettleAsync(Delivery delivery)
    {
        int holdAt = _random.Next(4);
        for (int i = 0; !delivery.AreAllSettled; i++)
        {
            if (i == holdAt)
            {
                _held = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                await _held.Task;
            }
            if (delivery.IsStopping)
            {
                Drain();
                return;
            }
            Publish(delivery, _random.Next(12));
            Arrive(_random.Next(5));
            Answer(_random.Next(5));
            Fail();
        }
    }

    private void Publish(Delivery delivery, int count)
    {
        for (var current = delivery; current is not null && count > 0; current = current.Next)
        {
            for (; current.Begun < current.Messages.Count && count > 0; current.Begun++)
            {
                if (current.IsSettled(current.Begun))
                    continue;
                _wire.Enqueue((current, current.Begun, current.Try(current.Begun)));
                count--;
            }
        }
    }

    private void Arrive(int count)
    {
        while (count-- > 0 && _wire.TryDequeue(out var sent))
        {
            var received = new Received(sent.Delivery.Messages[sent.Index], sent.Attempt);
            if (trouble.Refuses && trouble.Happens(1))
            {
                _isAnyRefused = true;
                continue;
            }
            if (!SeededSink.IsBad(received))
                ledger.Add(received);
            _unanswered.Add((sent.Delivery, sent.Index));
        }
    }

    private void Answer(int count)
    {
        while (count-- > 0 && _unanswered.Count > 0)
        {
            int one = _random.Next(_unanswered.Count);
            var (delivery, index) = _unanswered[one];
            _unanswered.RemoveAt(one);
            if (SeededSink.IsBad(new Received(delivery.Messages[index], 0)))
                delivery.Reject(index, "Bad.");
            else
                delivery.Confirm(index);
        }
    }

    private void Fail()
    {
        if (_isAnyRefused)
        {
            Drain();
            _isAnyRefused = false;
            trouble.Faults++;
            throw new SinkException(SinkFault.Sink, "Some were refused.");
        }
        if (trouble.Happens(0.5))
        {
            Cut();
            throw new SinkException(SinkFault.Sink, "The wire was cut.");
        }
        if (trouble.Happens(0.5))
        {
            _isBlocked = true;
            throw Blocked();
        }
        if (trouble.Happens(0.2))
        {
            trouble.Faults++;
            throw new SimulatedCrashException("the sink");
        }
    }

    private void Drain()
    {
        Arrive(int.MaxValue);
        Answer(int.MaxValue);
    }

    private void Cut()
    {
        trouble.Faults++;
        Arrive(_random.Next(_wire.Count + 1));
        Answer(_random.Next(_unanswered.Count + 1));
        _wire.Clear();
        _unanswered.Clear();
        _isAnyRefused = false;
    }

    private static SinkException Blocked() => new(SinkFault.Sink, "Blocked.") { IsAllOnItsWay = true };
}
