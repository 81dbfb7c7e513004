namespace Jackdaw.Functions.CustomHandler.Running;

/// <summary>The end of the process in two steps: invocations that wait for a server end at once, the others have some seconds.</summary>
internal sealed class StopSignal : IDisposable
{
    private readonly CancellationTokenSource _stopping = new();
    private readonly CancellationTokenSource _stopped = new();
    private readonly TaskCompletionSource _endNow = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>The process is to stop.</summary>
    public CancellationToken Stopping => _stopping.Token;

    /// <summary>The process stops now.</summary>
    public CancellationToken Stopped => _stopped.Token;

    /// <summary>Something is wrong with the process: it is to end.</summary>
    public Task EndRequested => _endNow.Task;

    /// <summary>Begins to stop.</summary>
    public void Begin()
    {
        _stopped.CancelAfter(AppLimits.StopGrace);
        _stopping.Cancel();
    }

    /// <summary>Asks for the end of the process.</summary>
    public void EndNow() => _endNow.TrySetResult();

    /// <inheritdoc/>
    public void Dispose()
    {
        _stopping.Dispose();
        _stopped.Dispose();
    }
}
