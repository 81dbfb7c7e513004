using Jackdaw.Etl.Sinks;
using Xunit;

namespace Jackdaw.Etl.Tests;

/// <summary>A sink that keeps the positions itself, all or nothing, and fails as a test says: before anything, after everything,
/// or with an outcome that nobody knows.</summary>
internal sealed class KeepingSink(KeptBroker broker) : IPositionKeeper
{
    private TaskCompletionSource? _held;

    /// <summary>Nothing of a delivery happens before <see cref="Release"/>.</summary>
    public bool IsSlow { get; init; }

    private Action? _undecided;

    public bool AllowsRoutingKeys => false;

    /// <summary>Called where a sink may fail, with a name: opening, sending, committing, committed.</summary>
    public Action<string>? At { get; init; }

    public bool CanRest { get; init; }

    public bool IsOpen { get; private set; }

    public int Openings { get; private set; }

    public void Rest() => IsOpen = false;

    /// <summary>A failed commit has happened nevertheless.</summary>
    public Func<bool> CommitsAnyway { get; init; } = () => false;

    public Func<Received, bool> IsBad { get; init; } = _ => false;

    public Task OpenAsync(CancellationToken cancellation) => throw new InvalidOperationException();

    public Task<IReadOnlyList<SinkPosition>> OpenAndReadAsync(bool takeOver, CancellationToken cancellation)
    {
        broker.TakeOvers += takeOver ? 1 : 0;
        Openings++;
        IsOpen = true;
        At?.Invoke(takeOver ? "taking over" : "opening");
        // What was undecided is decided before anybody reads.
        Decide();
        return Task.FromResult<IReadOnlyList<SinkPosition>>(
            broker
                .Positions.Select(one => new SinkPosition(
                    one.Key,
                    one.Value,
                    broker.Retried.GetValueOrDefault(one.Key),
                    broker.Batches.GetValueOrDefault(one.Key)
                ))
                .ToArray()
        );
    }

    public async Task DeliverAsync(Delivery delivery, CancellationToken cancellation)
    {
        At?.Invoke("sending");
        if (IsSlow)
        {
            _held = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            await _held.Task;
        }
        var sent = new List<Received>();
        for (int i = 0; i < delivery.Messages.Count; i++)
        {
            if (delivery.IsSettled(i))
                continue;
            var message = new Received(delivery.Messages[i], delivery.Try(i));
            if (IsBad(message))
            {
                delivery.Reject(i, "Bad.");
                return;
            }
            sent.Add(message);
        }
        Commit(sent, delivery.Position);
        delivery.ConfirmRest();
    }

    /// <summary>What became of a commit whose answer was lost is no secret any more.</summary>
    public void Decide()
    {
        _undecided?.Invoke();
        _undecided = null;
    }

    public void Release() => _held?.TrySetResult();

    public Task StorePositionAsync(SinkPosition position, CancellationToken cancellation)
    {
        Commit([], position);
        return Task.CompletedTask;
    }

    public ValueTask DisposeAsync()
    {
        if (CommitsAnyway())
            _undecided?.Invoke();
        _undecided = null;
        return ValueTask.CompletedTask;
    }

    private void Commit(List<Received> sent, SinkPosition position)
    {
        Assert.True(IsOpen);
        bool anyway = CommitsAnyway();
        _undecided = anyway ? () => Apply(sent, position) : null;
        At?.Invoke("committing");
        _undecided = null;
        Apply(sent, position);
        At?.Invoke("committed");
    }

    private void Apply(List<Received> sent, SinkPosition position)
    {
        broker.Ledger.AddRange(sent);
        broker.Positions[position.Transform] = position.Position;
        broker.Batches[position.Transform] = position.Batch;
        broker.Retried.Remove(position.Transform);
        if (position.RetriedDeadLetters is { } retried)
            broker.Retried[position.Transform] = retried;
    }
}
