namespace Jackdaw.Documents.Watching;

/// <summary>
/// Runs the turns of a consumer that is woken (<see cref="Database.Watch"/>) on the thread pool, one at a time: a turn follows each
/// wake, and several wakes may share one. Holds no thread between turns. Thread-safe.
/// </summary>
public sealed class WokenTurns : IThreadPoolWorkItem
{
    private readonly Lock _gate = new();
    private readonly Func<bool> _turn;
    private bool _isRunning;
    private bool _isWoken;
    private bool _isStopped;

    /// <summary>Creates it; nothing runs before the first wake.</summary>
    /// <param name="turn">A turn; must not throw. True: there is more to do at once, after others had the thread.</param>
    public WokenTurns(Func<bool> turn)
    {
        ArgumentNullException.ThrowIfNull(turn);
        _turn = turn;
    }

    /// <summary>There may be something to do: a turn begins after this. Quick; never throws.</summary>
    public void Wake()
    {
        lock (_gate)
        {
            if (_isStopped)
                return;
            _isWoken = true;
            if (_isRunning)
                return;
            _isRunning = true;
        }
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>No turn begins any more. One that has begun may still go on.</summary>
    public void Stop()
    {
        lock (_gate)
            _isStopped = true;
    }

    /// <inheritdoc/>
    void IThreadPoolWorkItem.Execute()
    {
        lock (_gate)
        {
            if (_isStopped)
            {
                _isRunning = false;
                return;
            }
            _isWoken = false;
        }
        bool hasMore = _turn();
        lock (_gate)
        {
            _isWoken |= hasMore;
            if (!_isWoken || _isStopped)
            {
                _isRunning = false;
                return;
            }
        }
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }
}
