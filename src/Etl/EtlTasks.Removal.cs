using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Sinks;

namespace Jackdaw.Etl;

/// <summary>The end of a task, also at its receiver.</summary>
public sealed partial class EtlTasks
{
    /// <summary>
    /// Removes a task with its positions. That is durable first; then what it kept for itself at its receiver is removed, too, if
    /// that is possible within a few seconds.
    /// Null when there is no such task.
    /// </summary>
    public async Task<EtlTaskRemoval?> RemoveTaskAsync(long id)
    {
        var remains = RemainsOf(id);
        if (!await RemoveAsync(id).ConfigureAwait(false))
            return null;
        return new EtlTaskRemoval(remains is null ? null : await remains.RemoveAsync().ConfigureAwait(false));
    }

    private ISinkRemains? RemainsOf(long id)
    {
        TaskEntry? entry;
        ConnectionString? connection = null;
        lock (_lock)
        {
            if (_tasks.TryGetValue(id, out entry))
                _connections.TryGetValue(entry.Definition.ConnectionStringName, out connection);
        }
        return entry is null || connection is null ? null : TaskSinks.Remains(entry.Definition, connection, _database, _options);
    }
}
