namespace Jackdaw.EventStreams.Client.Waking;

/// <summary>
/// One who waits for what is stored: in a stream, under one of some tags, or anywhere. Made by <see cref="Wakeups"/>; once it is disposed
/// nothing wakes it. Take a <see cref="Mark"/>, read, then wait with it: what is stored during the reading ends the wait at once.
/// </summary>
public sealed class Follower : IDisposable
{
    private readonly Wakeups _wakeups;
    private readonly TimeProvider _clock;
    private readonly Lock _lock = new();
    private TaskCompletionSource _next = New();
    private long _wakes;
    private bool _isDisposed;

    internal Follower(Wakeups wakeups, TimeProvider clock, string? stream, IReadOnlyCollection<string> tags)
    {
        _wakeups = wakeups;
        _clock = clock;
        Stream = stream;
        Tags = tags;
    }

    /// <summary>The stream that it follows; null: none.</summary>
    internal string? Stream { get; }

    /// <summary>The tags that it follows.</summary>
    internal IReadOnlyCollection<string> Tags { get; }

    internal bool FollowsEverything => Stream is null && Tags.Count == 0;

    /// <summary>What has happened until now, for <see cref="WaitAsync"/>. Take it before reading.</summary>
    public long Mark() => Interlocked.Read(ref _wakes);

    /// <summary>Waits until something has happened since the mark was taken, at most for <paramref name="atMost"/>.</summary>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public async Task WaitAsync(long mark, TimeSpan atMost, CancellationToken cancel)
    {
        Task next;
        lock (_lock)
        {
            if (_wakes != mark || _isDisposed)
                return;
            next = _next.Task;
        }
        try
        {
            await next.WaitAsync(atMost, _clock, cancel);
        }
        catch (TimeoutException)
        {
            // The caller looks for itself, in case that the connection has been lost without a sign.
        }
    }

    /// <summary>Ends it. Who waits is woken.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            if (_isDisposed)
                return;
            _isDisposed = true;
        }
        _wakeups.Remove(this);
        Wake();
    }

    internal void Wake()
    {
        lock (_lock)
        {
            _wakes++;
            _next.TrySetResult();
            _next = New();
        }
    }

    private static TaskCompletionSource New() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
