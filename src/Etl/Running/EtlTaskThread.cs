using Jackdaw.Documents;
using Jackdaw.Documents.Watching;

namespace Jackdaw.Etl.Running;

/// <summary>The thread of a task, <c>etl ‹database›/‹task›</c>: runs its steps, sleeps in between, and is woken by changes
/// that the task wants.</summary>
internal sealed class EtlTaskThread : IAsyncDisposable
{
    private static readonly TimeSpan s_longest = TimeSpan.FromHours(1);

    private readonly AutoResetEvent _wake = new(false);
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly ChangeWatch _watch;

    /// <summary>Starts it. The task is the thread's own from now on.</summary>
    public EtlTaskThread(EtlTask task, Database database, string taskName)
    {
        Task = task;
        task.Woken = Wake;
        _watch = database.Watch(task.Wants, Wake);
        new Thread(Run) { Name = $"etl {database.Name}/{taskName}", IsBackground = true }.Start();
    }

    public EtlTask Task { get; }

    /// <summary>Ends the thread and the task, cancelling what is being sent.</summary>
    public async ValueTask DisposeAsync()
    {
        _watch.Dispose();
        Task.BeginClose();
        await _ended.Task.ConfigureAwait(false);
        Task.Woken = null;
        await Task.DisposeAsync().ConfigureAwait(false);
        // A change that is being announced this moment may still want to wake it: the event is left to the collector.
    }

    private void Wake() => _wake.Set();

    private void Run()
    {
        try
        {
            while (true)
            {
                var rest = Task.RunStep();
                if (Task.State == EtlTaskState.Closed)
                    return;
                // A step that comes too early does nothing, and an event does not wait for as long as a sink may ask.
                if (rest != TimeSpan.Zero && !Task.IsClosing)
                    _wake.WaitOne(rest > s_longest ? s_longest : rest);
            }
        }
        catch (Exception error)
        {
            // Unexpected: the task ends here and says so. The database and the other tasks have no part in it.
            Task.Fault(error);
        }
        finally
        {
            _ended.SetResult();
        }
    }
}
