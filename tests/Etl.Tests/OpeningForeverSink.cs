using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.Tests;

/// <summary>Asks somebody who never answers whether it may come in.</summary>
internal sealed class OpeningForeverSink : ISink
{
    private readonly TaskCompletionSource _opening = new();

    public bool AllowsRoutingKeys => false;

    public Task Opening => _opening.Task;

    public async Task OpenAsync(CancellationToken cancellation)
    {
        _opening.TrySetResult();
        await Task.Delay(Timeout.Infinite, cancellation);
    }

    public Task DeliverAsync(Delivery delivery, CancellationToken cancellation) =>
        throw new InvalidOperationException("It was never opened.");

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
