using Jackdaw.Indexing.Definitions;
using Jackdaw.Indexing.Registry;

namespace Jackdaw.Indexing.Processes;

/// <summary>What an operator does with indexes.</summary>
public sealed partial class DatabaseIndexes
{
    /// <summary>Deletes an index. False: there is none of this name.</summary>
    public Task<bool> DeleteAsync(string name) =>
        ChangeAsync(async () =>
        {
            if (Find(name) is not { } index)
                return false;
            await RemoveAsync(index).ConfigureAwait(false);
            return true;
        });

    /// <summary>Empties an index, which is then built again; one in error goes on, a disabled one stays so. False: there is none.</summary>
    public Task<bool> ResetAsync(string name) =>
        ChangeAsync(async () =>
        {
            if (Find(name) is not { } index)
                return false;
            index.ClearErrors();
            await RebuildAsync(index, reason: null).ConfigureAwait(false);
            return true;
        });

    /// <summary>Enables or disables an index; one in error that is enabled goes on from where it was. False: there is none.</summary>
    public Task<bool> SetDisabledAsync(string name, bool isDisabled) =>
        ChangeAsync(async () =>
        {
            if (Find(name) is not { } index)
                return false;
            if (!isDisabled)
                index.ClearFailures();
            await SetStateAsync(index, isDisabled ? IndexState.Disabled : IndexState.Normal, null).ConfigureAwait(false);
            return true;
        });

    /// <summary>Sets the priority of indexes, of all that are named or of none. Returns the first name that there is no index of; null:
    /// done.</summary>
    public Task<string?> SetPriorityAsync(IReadOnlyList<string> names, IndexPriority priority) =>
        ChangeRecordsAsync(names, record => record with { Priority = priority }, IndexChangeKind.PriorityChanged);

    /// <summary>Sets the lock mode of indexes, of all that are named or of none. Returns the first name that there is no index of; null:
    /// done.</summary>
    public Task<string?> SetLockModeAsync(IReadOnlyList<string> names, IndexLockMode mode) =>
        ChangeRecordsAsync(names, record => record with { LockMode = mode }, IndexChangeKind.LockModeChanged);

    /// <summary>Stops all indexes until <see cref="Resume()"/> or until the process ends; queries of them go on, and turn stale.</summary>
    public void Pause() => SetPaused(true);

    /// <summary>Ends <see cref="Pause()"/>, and the pause of each index.</summary>
    public void Resume() => SetPaused(false);

    /// <summary>Stops one index likewise. False: there is none of this name.</summary>
    public bool Pause(string name) => SetPaused(name, true);

    /// <summary>Ends <see cref="Pause(string)"/>. False: there is none of this name.</summary>
    public bool Resume(string name) => SetPaused(name, false);

    private void SetPaused(bool isPaused)
    {
        _isPaused = isPaused;
        foreach (var index in _all)
        {
            index.SetPaused(isPaused);
            Tell(index, IndexChangeKind.StateChanged);
        }
    }

    private bool SetPaused(string name, bool isPaused)
    {
        if (Find(name) is not { } index)
            return false;
        index.SetPaused(isPaused);
        Tell(index, IndexChangeKind.StateChanged);
        return true;
    }

    /// <summary>Under the gate.</summary>
    private async Task RemoveAsync(Index index)
    {
        var operation = new ChangeIndexesOperation().Remove(index.Record);
        var others = _all.Where(other => other.Record.Replaces.Contains(index.InstanceId)).ToArray();
        foreach (var other in others)
            operation.Put(other.Record.WithoutReplaced(index.InstanceId));
        await _database.SubmitAsync(operation).ConfigureAwait(false);
        foreach (var other in others)
            other.Adopt(other.Record.WithoutReplaced(index.InstanceId), other.Record.Name);
        await DropAsync(index, successor: null).ConfigureAwait(false);
    }

    private async Task SetStateAsync(Index index, IndexState state, string? reason)
    {
        var record = index.Record with { State = state, StateReason = reason };
        await _database.SubmitAsync(new ChangeIndexesOperation().Put(record)).ConfigureAwait(false);
        index.Adopt(record, index.Name);
        Tell(index, IndexChangeKind.StateChanged);
    }

    private Task<string?> ChangeRecordsAsync(IReadOnlyList<string> names, Func<IndexRecord, IndexRecord> change, IndexChangeKind kind)
    {
        ArgumentNullException.ThrowIfNull(names);
        return ChangeAsync(async () =>
        {
            var changed = new List<(Index Index, IndexRecord Record)>();
            foreach (string name in names)
            {
                if (Find(name) is not { } index)
                    return name;
                changed.Add((index, change(index.Record)));
            }
            var operation = new ChangeIndexesOperation();
            foreach (var (_, record) in changed)
                operation.Put(record);
            if (changed.Count > 0)
                await _database.SubmitAsync(operation).ConfigureAwait(false);
            foreach (var (index, record) in changed)
            {
                index.Adopt(record, index.Name);
                Tell(index, kind);
            }
            return null;
        });
    }
}
