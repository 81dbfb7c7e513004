using Jackdaw.Documents.Errors;
using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Registry;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Indexing.Processes;

/// <summary>
/// What indexes ask for in their turns, and must not wait for: swaps, building again, states, lower bounds. Each runs as a task that is
/// awaited before the database closes.
/// </summary>
public sealed partial class DatabaseIndexes
{
    /// <summary>Findings that are kept.</summary>
    private const int MaxFindings = 100;

    private readonly List<Task> _tasks = [];
    private readonly Queue<IndexFinding> _findings = new();
    private readonly Dictionary<Guid, (long At, long Etag)> _lowerBounds = [];
    private volatile Action<IndexChange>? _told;

    /// <summary>What an operator should know of the indexes since the database was opened, the oldest first; the newest are kept.</summary>
    public IReadOnlyList<IndexFinding> Findings
    {
        get
        {
            lock (_lock)
                return [.. _findings];
        }
    }

    /// <summary>Tells what happens to indexes, on whatever thread it happens. Must be quick and must not throw. Ends with the
    /// result's disposal; a call that has begun may still come.</summary>
    public IDisposable Watch(Action<IndexChange> told)
    {
        ArgumentNullException.ThrowIfNull(told);
        lock (_lock)
            _told += told;
        return new Watcher(this, told);
    }

    internal void Tell(Index index, IndexChangeKind kind) => _told?.Invoke(new IndexChange(index.Name, kind, index.SeenUpToNow));

    /// <summary>An index has something to tell.</summary>
    internal void Find(Index index, string message) => Found(index.Name, message);

    /// <summary>Writes to the log what is no reason for an alert.</summary>
    private void Log(string index, string message) =>
        _processes.Options.Found?.Invoke($"Index '{index}' of database '{_database.Name}': {message}");

    private void Found(string index, string message)
    {
        lock (_lock)
        {
            if (_findings.Count == MaxFindings)
                _findings.Dequeue();
            _findings.Enqueue(new IndexFinding(_processes.Options.Clock.GetUtcNow().UtcTicks, index, message));
        }
        Log(index, message);
    }

    /// <summary>The index has caught up: it is to take the place of those that it replaces, unless it was switched off meanwhile.</summary>
    internal void BeginSwap(Index index) =>
        BeginOnce(
            index,
            () =>
                ChangeIfThereAsync(
                    index,
                    () => index.IsReplacement && index.Record.State == IndexState.Normal ? SwapAsync(index) : Task.CompletedTask
                )
        );

    /// <summary>What the index holds cannot be used: it is emptied, and built again.</summary>
    internal void BeginRebuild(Index index, string reason) =>
        BeginOnce(index, () => ChangeIfThereAsync(index, () => RebuildAsync(index, reason)));

    /// <summary>Its environment takes no more writes: it is closed, and opened anew.</summary>
    internal void BeginReopen(Index index) => BeginOnce(index, () => ChangeIfThereAsync(index, () => ReopenAsync(index)));

    /// <summary>It does not go on.</summary>
    internal void BeginError(Index index, string reason) =>
        BeginOnce(
            index,
            () =>
                ChangeIfThereAsync(
                    index,
                    async () =>
                    {
                        index.RecordError("Batch", reason);
                        Found(index.Name, $"It is in error, and does not follow the documents any more: {reason}");
                        await SetStateAsync(index, IndexState.Error, reason).ConfigureAwait(false);
                    }
                )
        );

    /// <summary>Its durable position has moved: now and then the registry is told.</summary>
    internal void NoteLowerBound(Index index, long etag)
    {
        long now = _processes.Options.Clock.GetTimestamp();
        lock (_lock)
        {
            var (at, stored) = _lowerBounds.GetValueOrDefault(index.InstanceId, (now, index.Record.LowerBound));
            if (
                etag - stored < IndexingLimits.LowerBoundStep
                || _processes.Options.Clock.GetElapsedTime(at, now) < IndexingLimits.LowerBoundInterval
                || _isClosing
            )
            {
                _lowerBounds.TryAdd(index.InstanceId, (at, stored));
                return;
            }
            _lowerBounds[index.InstanceId] = (now, etag);
        }
        var operation = new ChangeIndexesOperation { IsBackground = true }.SetLowerBound(index.InstanceId, etag);
        Begin(async () => await _database.SubmitAsync(operation).ConfigureAwait(false));
    }

    private async Task SwapAsync(Index index)
    {
        var replaced = _all.Where(other => index.Record.Replaces.Contains(other.InstanceId)).ToArray();
        var swap = new IndexSwap(index.Record, [.. replaced.Select(former => former.Record)], _processes.Options.Planted);
        _processes.Options.StepReached?.Invoke(IndexStep.CaughtUp);
        foreach (var step in swap.Steps)
        {
            switch (step)
            {
                case IndexSwapStep.MakeDurable:
                    if (!await index.MakeDurableAsync().ConfigureAwait(false))
                        return;
                    _processes.Options.StepReached?.Invoke(IndexStep.Durable);
                    break;
                case IndexSwapStep.DeleteFolders:
                    await DeleteFoldersAsync(replaced).ConfigureAwait(false);
                    break;
                case IndexSwapStep.ChangeRecords:
                    await _database.SubmitAsync(swap.Operation()).ConfigureAwait(false);
                    _processes.Options.StepReached?.Invoke(IndexStep.Swapped);
                    index.Adopt(swap.Record, swap.Record.Name);
                    break;
                default:
                    foreach (var former in replaced)
                        await DropAsync(former, index).ConfigureAwait(false);
                    break;
            }
        }
        Publish(_all);
        Tell(index, IndexChangeKind.Swapped);
        ScheduleIdleLook();
    }

    /// <summary>A mistake for a test to find.</summary>
    private async Task DeleteFoldersAsync(IEnumerable<Index> replaced)
    {
        foreach (var former in replaced)
        {
            await former.Turn.HoldAsync().ConfigureAwait(false);
            await DeleteFolderAsync(former.Record, former.LeaveFolder(former.Record), ended: null).ConfigureAwait(false);
        }
    }

    /// <summary>Under the gate.</summary>
    private async Task RebuildAsync(Index index, string? reason)
    {
        var former = index.Record;
        var record = former with
        {
            InstanceId = Guid.NewGuid(),
            LowerBound = _database.LastDurableEtag,
            State = former.State == IndexState.Error ? IndexState.Normal : former.State,
            StateReason = null,
        };
        if (reason is not null)
        {
            index.RecordError("Rebuild", $"It is built again: {reason}");
            Found(index.Name, $"It is built again: {reason} Until it has caught up, its answers are stale.");
        }
        var operation = new ChangeIndexesOperation().Remove(former).Put(record);
        var others = _all.Where(other => other.Record.Replaces.Contains(former.InstanceId)).ToArray();
        foreach (var other in others)
            operation.Put(other.Record.WithReplaced(former.InstanceId, record.InstanceId));
        await index.Turn.HoldAsync().ConfigureAwait(false);
        IndexFolder? folder;
        try
        {
            // Between the two consumers nobody takes away the deletions that the new one wants.
            using var held = _database.Consumers.HoldCleaning();
            await _database.SubmitAsync(operation).ConfigureAwait(false);
            foreach (var other in others)
                other.Adopt(other.Record.WithReplaced(former.InstanceId, record.InstanceId), other.Name);
            folder = index.LeaveFolder(record);
        }
        finally
        {
            index.Turn.Release();
        }
        Track(RunAsync(() => DeleteFolderAsync(former, folder, ended: null)));
        index.FollowNewRecord();
        Tell(index, IndexChangeKind.Rebuilt);
    }

    private async Task ReopenAsync(Index index)
    {
        await index.Turn.HoldAsync().ConfigureAwait(false);
        try
        {
            if (index.LeaveFolder(index.Record) is { } folder)
            {
                folder.EndLeases();
                await CloseFolderAsync(index.Name, folder).ConfigureAwait(false);
            }
        }
        finally
        {
            index.Turn.Release();
        }
        index.Turn.WakeNow();
    }

    private Task<bool> ChangeIfThereAsync(Index index, Func<Task> change) =>
        ChangeAsync(async () =>
        {
            if (_all.Contains(index))
                await change().ConfigureAwait(false);
            return true;
        });

    /// <summary>Begins a task of an index, unless it has one under way: its next turn asks again.</summary>
    private void BeginOnce(Index index, Func<Task> task)
    {
        if (index.TryBeginTask())
            Begin(() => EndTaskAsync(index, task));
    }

    private static async Task EndTaskAsync(Index index, Func<Task> task)
    {
        bool hasEnded = false;
        try
        {
            await task().ConfigureAwait(false);
            hasEnded = true;
        }
        finally
        {
            index.EndTask(hasEnded);
        }
    }

    private void Begin(Func<Task> task)
    {
        lock (_lock)
        {
            if (_isClosing)
                return;
        }
        Track(RunAsync(task));
    }

    private async Task RunAsync(Func<Task> task)
    {
        // Never on the thread of a turn or of a journal.
        await Task.Yield();
        try
        {
            await task().ConfigureAwait(false);
        }
        catch (Exception refused) when (IsRefusal(refused))
        {
            // Nothing has changed: whoever asked for it asks again in its next turn.
            return;
        }
        catch (Exception unexpected)
        {
            // The task ends here, whatever it is, and says so; the index asks again.
            Found("*", $"Unexpected: {unexpected.GetType().Name}: {unexpected.Message}");
        }
    }

    private void Track(Task task)
    {
        lock (_lock)
        {
            _tasks.RemoveAll(former => former.IsCompleted);
            _tasks.Add(task);
        }
    }

    /// <summary>Waits until none is left. None throws.</summary>
    private async Task EndTasksAsync()
    {
        while (true)
        {
            Task[] tasks;
            lock (_lock)
            {
                tasks = [.. _tasks];
                _tasks.Clear();
            }
            if (tasks.Length == 0)
                return;
            await Task.WhenAll(tasks).ConfigureAwait(false);
        }
    }

    private sealed class Watcher(DatabaseIndexes indexes, Action<IndexChange> told) : IDisposable
    {
        public void Dispose()
        {
            lock (indexes._lock)
                indexes._told -= told;
        }
    }
}
