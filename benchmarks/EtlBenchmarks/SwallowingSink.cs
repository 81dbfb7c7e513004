using Jackdaw.Etl.Sinks;

namespace Jackdaw.Bench.EtlBenchmarks;

/// <summary>Takes everything at once.</summary>
internal sealed class SwallowingSink : ISink
{
    public bool AllowsRoutingKeys => false;

    public Task OpenAsync(CancellationToken cancellation) => Task.CompletedTask;

    public Task DeliverAsync(Delivery delivery, CancellationToken cancellation)
    {
        for (int i = 0; i < delivery.Messages.Count; i++)
        {
            if (delivery.IsSettled(i))
                continue;
            delivery.Try(i);
            delivery.Confirm(i);
        }
        return Task.CompletedTask;
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
