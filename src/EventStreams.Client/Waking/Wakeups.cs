using Jackdaw.EventStreams.Client.Repeating;

namespace Jackdaw.EventStreams.Client.Waking;

/// <summary>
/// Tells readers that something was stored or deleted: one connection for all of them, open while there is a follower. It carries no
/// events; who is woken reads a page. After a lost connection everyone is woken, since something may have been missed.
/// </summary>
public sealed class Wakeups : IAsyncDisposable
{
    private readonly WakeupConnection _connection;
    private readonly TimeProvider _clock;
    private readonly Lock _lock = new();
    private TaskCompletionSource _next = New();
    private CancellationTokenSource? _listening;
    private Task _listener = Task.CompletedTask;
    private int _followers;
    private long _durable;
    private long _wakes;
    private bool _isDisposed;

    internal Wakeups(ServerConnection server)
    {
        _clock = server.Options.Clock;
        _connection = new WakeupConnection(server, Wake);
    }

    /// <summary>The highest position of which it has heard.</summary>
    public long Durable => Volatile.Read(ref _durable);

    /// <summary>How often it was connected.</summary>
    internal int Connections => _connection.Connections;

    /// <summary>Keeps the connection open until the result is disposed.</summary>
    public IDisposable Follow()
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            if (_followers++ == 0)
                Listen();
        }
        return new Follower(this);
    }

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

    /// <summary>Closes the connection and wakes everyone.</summary>
    public async ValueTask DisposeAsync()
    {
        Task listener;
        CancellationTokenSource? listening;
        lock (_lock)
        {
            _isDisposed = true;
            listener = _listener;
            (listening, _listening) = (_listening, null);
        }
        if (listening is not null)
            await listening.CancelAsync();
        await listener;
        Wake(0);
    }

    private static TaskCompletionSource New() => new(TaskCreationOptions.RunContinuationsAsynchronously);

    private void Wake(long durable)
    {
        TaskCompletionSource woken;
        lock (_lock)
        {
            if (durable > _durable)
                _durable = durable;
            _wakes++;
            woken = _next;
            _next = New();
        }
        woken.TrySetResult();
    }

    /// <summary>Called under the lock. The listener before ends first: there is one connection.</summary>
    private void Listen()
    {
        _listening = new CancellationTokenSource();
        var end = _listening.Token;
        var before = _listener;
        _listener = Task.Run(async () =>
        {
            await before;
            await _connection.RunAsync(end);
        });
    }

    private void Unfollow()
    {
        CancellationTokenSource? listening = null;
        lock (_lock)
        {
            if (--_followers == 0)
                (listening, _listening) = (_listening, null);
        }
        listening?.Cancel();
    }

    private sealed class Follower(Wakeups wakeups) : IDisposable
    {
        private int _isDisposed;

        public void Dispose()
        {
            if (Interlocked.Exchange(ref _isDisposed, 1) == 0)
                wakeups.Unfollow();
        }
    }
}
