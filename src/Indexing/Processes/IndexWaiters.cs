namespace Jackdaw.Indexing.Processes;

/// <summary>Who waits until an index has seen everything up to an etag. Thread-safe.</summary>
internal sealed class IndexWaiters
{
    private readonly Lock _lock = new();
    private readonly List<Waiter> _waiters = [];
    private Func<Exception>? _end;

    /// <summary>Somebody waits; the task ends when <see cref="Complete"/> has reached the etag.</summary>
    public Waiter Add(long etag)
    {
        var waiter = new Waiter(etag);
        lock (_lock)
        {
            if (_end is { } end)
                waiter.Fail(end());
            else
                _waiters.Add(waiter);
        }
        return waiter;
    }

    public void Remove(Waiter waiter)
    {
        lock (_lock)
            _waiters.Remove(waiter);
    }

    /// <summary>Everything up to the etag was seen.</summary>
    public void Complete(long etag)
    {
        lock (_lock)
        {
            for (int i = _waiters.Count - 1; i >= 0; i--)
            {
                if (_waiters[i].Etag > etag)
                    continue;
                _waiters[i].Complete();
                _waiters.RemoveAt(i);
            }
        }
    }

    /// <summary>Nobody's wait can end well any more.</summary>
    /// <param name="cause">Makes the exception of one waiter: each gets an object of its own, because throwing writes into it.</param>
    /// <param name="isFinal">Also to those who come later.</param>
    public void Fail(Func<Exception> cause, bool isFinal)
    {
        lock (_lock)
        {
            foreach (var waiter in _waiters)
                waiter.Fail(cause());
            _waiters.Clear();
            if (isFinal)
                _end = cause;
        }
    }

    internal sealed class Waiter(long etag)
    {
        private readonly TaskCompletionSource _source = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public long Etag => etag;

        public Task Task => _source.Task;

        public void Complete() => _source.TrySetResult();

        public void Fail(Exception cause) => _source.TrySetException(cause);
    }
}
