using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl.Tests;

/// <summary>Confirms its first delivery and never answers to the second.</summary>
internal sealed class HangingSink : ISink
{
    private readonly TaskCompletionSource _first = new();
    private readonly TaskCompletionSource _hanging = new();

    public bool AllowsRoutingKeys => false;

    public Task First => _first.Task;

    public Task Hanging => _hanging.Task;

    public Task OpenAsync(CancellationToken cancellation) => Task.CompletedTask;

    public async Task DeliverAsync(Delivery delivery, CancellationToken cancellation)
    {
        if (!_first.Task.IsCompleted)
        {
            for (int i = 0; i < delivery.Messages.Count; i++)
                delivery.Confirm(i);
            _first.SetResult();
            return;
        }
        _hanging.SetResult();
        await Task.Delay(Timeout.Infinite, cancellation);
    }

    public ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
