using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.Tests;

/// <summary>A sink in the test's own process. What it receives outlives it, as a broker does; what it does is the test's
/// business.</summary>
internal sealed class RecordingSink(List<Received> ledger, Action<RecordingSink, Delivery>? deliver = null) : ISink
{
    public bool AllowsRoutingKeys { get; init; }

    public bool ReachesAhead { get; init; }

    public Action? Opening { get; set; }

    /// <summary>What a delivery still waits for when the test's part of it is done.</summary>
    public Func<Task>? Afterwards { get; set; }

    public int Openings { get; private set; }

    public Task OpenAsync(CancellationToken cancellation)
    {
        Openings++;
        Opening?.Invoke();
        return Task.CompletedTask;
    }

    public Task DeliverAsync(Delivery delivery, CancellationToken cancellation)
    {
        if (deliver is { } own)
        {
            own(this, delivery);
            return Afterwards?.Invoke() ?? Task.CompletedTask;
        }
        ReceiveRest(delivery);
        return Afterwards?.Invoke() ?? Task.CompletedTask;
    }

    /// <summary>Receives and confirms what is open.</summary>
    public void ReceiveRest(Delivery delivery)
    {
        for (int i = 0; i < delivery.Messages.Count; i++)
        {
            if (delivery.IsSettled(i))
                continue;
            Receive(delivery, i);
            delivery.Confirm(i);
        }
    }

    public void Receive(Delivery delivery, int index) => ledger.Add(new Received(delivery.Messages[index], delivery.Try(index)));

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
