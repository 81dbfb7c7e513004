namespace Akka.Persistence.Jackdaw.Snapshots;

/// <summary>
/// Runs the actions of one id one after another, in the order of calls; those of different ids do not wait for each other.
/// </summary>
internal sealed class SavesInOrder
{
    private readonly Dictionary<string, Task> _last = new(StringComparer.Ordinal);
    private readonly Lock _lock = new();

    /// <summary>Runs an action after those of the same id that came before, whatever became of them.</summary>
    /// <param name="id">The persistence id.</param>
    /// <param name="action">Is not run any more when the token is cancelled before its turn.</param>
    /// <param name="cancel">Ends the waiting.</param>
    public Task RunAsync(string id, Func<Task> action, CancellationToken cancel)
    {
        Task run;
        lock (_lock)
        {
            run = RunAfterAsync(_last.GetValueOrDefault(id, Task.CompletedTask), action, cancel);
            _last[id] = run;
        }
        run.ContinueWith(_ => Forget(id, run), TaskScheduler.Default);
        return run.WaitAsync(cancel);
    }

    private static async Task RunAfterAsync(Task before, Func<Task> action, CancellationToken cancel)
    {
        await before.ContinueWith(_ => { }, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
        cancel.ThrowIfCancellationRequested();
        await action();
    }

    private void Forget(string id, Task run)
    {
        lock (_lock)
            if (_last.GetValueOrDefault(id) == run)
                _last.Remove(id);
    }
}
