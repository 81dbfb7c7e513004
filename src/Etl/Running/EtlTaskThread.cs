using Jackdaw.Documents;
using Jackdaw.Documents.Watching;

namespace Jackdaw.Etl.Running;

/// <summary>
/// Runs a task's steps on a thread, <c>etl ‹database›/‹task›</c>, that there is only while the task has work: it ends when the task
/// has rested for a moment, and the next change that the task wants, a pause's end or an order starts another. A task that rests costs
/// neither a thread nor, unless it waits for a time, a timer.
/// </summary>
internal sealed class EtlTaskThread : IAsyncDisposable
{
    /// <summary>A task under steady traffic keeps its thread between two batches.</summary>
    private static readonly TimeSpan s_lingering = TimeSpan.FromSeconds(1);

    /// <summary>A step that comes too early does nothing, and a timer does not wait for as long as a sink may ask.</summary>
    private static readonly TimeSpan s_longest = TimeSpan.FromHours(1);

    private readonly object _monitor = new();
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly ChangeWatch _watch;
    private readonly string _name;
    private readonly Timer _timer;
    private bool _isWoken;
    private bool _hasThread;

    /// <summary>Starts it. The task is the thread's own from now on.</summary>
    public EtlTaskThread(EtlTask task, Database database, string taskName)
    {
        Task = task;
        _name = $"etl {database.Name}/{taskName}";
        _timer = new Timer(_ => Wake());
        task.Woken = Wake;
        _watch = database.Watch(task.Wants, Wake);
        Wake();
    }

    public EtlTask Task { get; }

    /// <summary>Ends the thread and the task, cancelling what is being sent.</summary>
    public async ValueTask DisposeAsync()
    {
        _watch.Dispose();
        Task.BeginClose();
        await _ended.Task.ConfigureAwait(false);
        Task.Woken = null;
        await _timer.DisposeAsync().ConfigureAwait(false);
        await Task.DisposeAsync().ConfigureAwait(false);
    }

    /// <summary>There may be something to do. From any thread.</summary>
    private void Wake()
    {
        lock (_monitor)
        {
            _isWoken = true;
            if (_hasThread)
            {
                Monitor.Pulse(_monitor);
                return;
            }
            if (_ended.Task.IsCompleted)
                return;
            try
            {
                new Thread(Run) { Name = _name, IsBackground = true }.Start();
                _hasThread = true;
            }
            catch (Exception refused) when (refused is OutOfMemoryException or ThreadStartException)
            {
                // Whoever has committed has no part in it.
                _timer.Change(s_lingering, Timeout.InfiniteTimeSpan);
            }
        }
    }

    private void Run()
    {
        try
        {
            while (true)
            {
                var rest = Task.RunStep();
                if (Task.State == EtlTaskState.Closed)
                    break;
                if (rest != TimeSpan.Zero && !Task.IsClosing && !IsWokenWithin(rest))
                    return;
            }
        }
        catch (Exception error)
        {
            // Unexpected: the task ends here and says so. The database and the other tasks have no part in it.
            Task.Fault(error);
        }
        // Its last: nobody starts another thread for it.
        lock (_monitor)
            _ended.TrySetResult();
    }

    /// <summary>Waits for the end of a rest, or to be woken; false: this thread is to end, and the rest goes on without one.</summary>
    private bool IsWokenWithin(TimeSpan rest)
    {
        bool isLong = rest == Timeout.InfiniteTimeSpan || rest > s_lingering;
        lock (_monitor)
        {
            if (!_isWoken)
                Monitor.Wait(_monitor, isLong ? s_lingering : rest);
            bool goesOn = _isWoken || !isLong || Task.IsClosing;
            _isWoken = false;
            if (goesOn)
                return true;
            _hasThread = false;
            _timer.Change(rest < s_longest ? rest : s_longest, Timeout.InfiniteTimeSpan);
            return false;
        }
    }
}
