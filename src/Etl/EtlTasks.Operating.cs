using Jackdaw.Documents.Tombstones;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Orders;
using Jackdaw.Etl.Running;
using Jackdaw.Etl.Values;

namespace Jackdaw.Etl;

/// <summary>
/// What people order of tasks that are there: docs/etl.md, "Orders". Each order is durable when its task ends; it is carried out
/// when the task's loop comes by,
/// whatever the sink is doing, or when the task is started anew.
/// </summary>
public sealed partial class EtlTasks
{
    /// <summary>See <see cref="EtlTaskState.Paused"/>. False when there is no such task.</summary>
    public Task<bool> PauseAsync(long id) =>
        ChangeAsync(async () =>
        {
            if (!_tasks.TryGetValue(id, out var entry))
                return false;
            await new OrderStore(_database, id).PauseAsync().ConfigureAwait(false);
            entry.Running?.Pause();
            return true;
        });

    /// <summary>After a pause or a fault; one whose loop has ended, or that could not be started, is started anew. False when
    /// there is no such task.</summary>
    public Task<bool> ResumeAsync(long id) =>
        ChangeAsync(async () =>
        {
            if (!_tasks.TryGetValue(id, out var entry))
                return false;
            await OrderAsync(entry, new OrderStore(_database, id).ResumeAsync).ConfigureAwait(false);
            await SetToWorkAsync(entry).ConfigureAwait(false);
            return true;
        });

    /// <summary>
    /// Sends everything after an etag again, or skips to it; resumes the task too. False when there is no such task. Throws
    /// <see cref="InvalidConfigurationException"/> for an unknown transform.
    /// </summary>
    /// <param name="id">The task.</param>
    /// <param name="transform">In any casing; null: all that are enabled.</param>
    /// <param name="etag">0: from the beginning. A later one than the last throws <see cref="InvalidConfigurationException"/>.</param>
    public Task<bool> SetPositionAsync(long id, string? transform, long etag) =>
        ChangeAsync(async () =>
        {
            ArgumentOutOfRangeException.ThrowIfNegative(etag);
            if (!_tasks.TryGetValue(id, out var entry))
                return false;
            var task = entry.Definition.Configuration;
            if (transform is not null && !task.Transforms.Any(known => known.Name.Equals(transform, StringComparison.OrdinalIgnoreCase)))
                throw new InvalidConfigurationException($"The task '{task.Name}' has no transform named '{transform}'.");
            long last = _database.LastDurableEtag;
            if (etag > last)
                throw new InvalidConfigurationException(
                    $"The position {etag} lies beyond the database's last etag, {last}: changes that are yet to come would never be sent."
                );
            var order = new PositionOrder(transform, _database.Id, etag);
            await OrderAsync(entry, takesOver => new OrderStore(_database, id).SetPositionAsync(order, takesOver)).ConfigureAwait(false);
            await SetToWorkAsync(entry).ConfigureAwait(false);
            return true;
        });

    /// <summary>Sets how fast a task may send, from now on; it goes on meanwhile. False when there is none.</summary>
    public Task<bool> SetRateLimitAsync(long id, RateLimit limit) =>
        ChangeAsync(async () =>
        {
            ArgumentNullException.ThrowIfNull(limit);
            if (!_tasks.TryGetValue(id, out var entry))
                return false;
            var definition = entry.Definition.With(limit.Checked());
            await _database.SubmitAsync(new StoreValuesOperation().Set(TaskKey(id), definition.ToBytes())).ConfigureAwait(false);
            entry.ChangeRate(definition);
            return true;
        });

    /// <summary>What tasks have missed: deletions that grew too old, or that a disabled task was kept for too long. Until
    /// <see cref="ForgetGapsAsync"/>.</summary>
    public IReadOnlyList<DeletionGap> Gaps(long taskId)
    {
        using var reader = _database.OpenRead("ETL gaps");
        return reader.Gaps(EtlTask.ConsumerName(taskId, ""));
    }

    /// <summary>A person has seen to what a task has missed. False when there was nothing.</summary>
    public Task<bool> ForgetGapsAsync(long taskId) =>
        ChangeAsync(async () =>
        {
            var operation = new StoreValuesOperation();
            var gaps = Gaps(taskId);
            foreach (var gap in gaps)
                operation.ForgetGap(gap.Consumer);
            if (gaps.Count > 0)
                await _database.SubmitAsync(operation).ConfigureAwait(false);
            return gaps.Count > 0;
        });

    /// <summary>Stores an order to work.</summary>
    /// <param name="entry">Of the task.</param>
    /// <param name="store">Told whether the order takes the task over.</param>
    private async Task OrderAsync(TaskEntry entry, Func<bool, Task> store)
    {
        bool takesOver = IsBeingFenced(entry);
        await store(takesOver).ConfigureAwait(false);
        // The opening that ends so may have begun meanwhile; one that begins from now on comes behind the order.
        if (!takesOver && IsBeingFenced(entry))
            await new OrderStore(_database, entry.Definition.Configuration.Id).ResumeAsync(takesOver: true).ConfigureAwait(false);
    }

    private static bool IsBeingFenced(TaskEntry entry) => entry.Running is { IsBeingFenced: true };

    private async Task SetToWorkAsync(TaskEntry entry)
    {
        if (entry.Running is { HasEnded: false } running)
            running.Resume();
        else
            await ReplaceAsync(entry, entry).ConfigureAwait(false);
    }
}
