namespace Jackdaw.Functions.CustomHandler.Invoking;

/// <summary>An invocation while it runs. It ends when its time is over, when the process stops, and when the host hangs up.
/// Thread-safe.</summary>
internal sealed class Invocation : IDisposable
{
    private readonly CancellationTokenSource _end;
    private readonly CancellationToken _stopping;
    private readonly CancellationTokenRegistration _registration;
    private int _waiting;

    /// <summary>Starts the clock.</summary>
    /// <param name="longest">How long it may take.</param>
    /// <param name="stopping">The process is to stop: an invocation that waits for a server ends at once.</param>
    /// <param name="stopped">The process stops now: every invocation ends.</param>
    /// <param name="hungUp">The host does not wait for the answer any more.</param>
    public Invocation(TimeSpan longest, CancellationToken stopping, CancellationToken stopped, CancellationToken hungUp)
    {
        _stopping = stopping;
        _end = CancellationTokenSource.CreateLinkedTokenSource(stopped, hungUp);
        _end.CancelAfter(longest);
        _registration = stopping.Register(EndIfWaiting);
    }

    /// <summary>Ends the handlers.</summary>
    public CancellationToken Token => _end.Token;

    /// <summary>A message has met a server that cannot do what it is asked for, and waits.</summary>
    public void Waits()
    {
        Volatile.Write(ref _waiting, 1);
        if (_stopping.IsCancellationRequested)
            _end.Cancel();
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _registration.Dispose();
        _end.Dispose();
    }

    private void EndIfWaiting()
    {
        if (Volatile.Read(ref _waiting) != 0)
            _end.Cancel();
    }
}
