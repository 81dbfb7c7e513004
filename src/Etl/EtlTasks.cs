using System.Buffers.Binary;
using System.Globalization;
using Jackdaw.Documents;
using Jackdaw.Documents.Tasks;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Running;
using Jackdaw.Scripting;

namespace Jackdaw.Etl;

/// <summary>
/// A database's tasks and connection strings: kept in the database, changed by whole calls one after another, each durable when its task ends. Thread-safe.
/// Errors of every change: <see cref="InvalidConfigurationException"/>, <see cref="Scripting.Errors.ScriptException"/> (a script that does not compile, with its place),
/// and those of <see cref="Database.SubmitAsync"/>.
/// </summary>
public sealed partial class EtlTasks : IAsyncDisposable
{
    private const string LastIdKey = "etl/last-task-id";
    private const string TaskPrefix = "etl/task/";
    private const string ConnectionPrefix = "etl/connection/";

    private readonly Database _database;
    private readonly ScriptEngine _engine;
    private readonly EtlOptions _options;
    private readonly SemaphoreSlim _changes = new(1);
    private readonly Lock _lock = new();
    private readonly SortedDictionary<long, TaskEntry> _tasks = [];
    private readonly SortedDictionary<string, ConnectionString> _connections = new(StringComparer.OrdinalIgnoreCase);
    private readonly EtlMetrics _metrics;
    private long _lastId;
    private bool _isClosed;

    private EtlTasks(Database database, ScriptEngine engine, EtlOptions options)
    {
        _database = database;
        _engine = engine;
        _options = options;
        _metrics = new EtlMetrics(database.Name, Statuses, options.Clock);
    }

    /// <summary>Reads what is stored and starts the tasks. One that cannot start (its script engine is missing, a secret's file is gone) is there and says why.</summary>
    public static EtlTasks Open(Database database, ScriptEngine engine, EtlOptions options)
    {
        ArgumentNullException.ThrowIfNull(database);
        ArgumentNullException.ThrowIfNull(options);
        var tasks = new EtlTasks(database, engine, options);
        using (var reader = database.OpenRead("ETL tasks"))
        {
            if (reader.TryGetTaskValue(LastIdKey, out var lastId))
                tasks._lastId = BinaryPrimitives.ReadInt64LittleEndian(lastId);
            foreach (var (_, json) in reader.TaskValues(ConnectionPrefix))
            {
                var connection = ConnectionString.Stored(json);
                tasks._connections[connection.Name] = connection;
            }
            foreach (var (key, json) in reader.TaskValues(TaskPrefix))
            {
                long id = long.Parse(key.AsSpan(TaskPrefix.Length), NumberStyles.None, CultureInfo.InvariantCulture);
                tasks._tasks[id] = new TaskEntry(TaskDefinition.Stored(json, id));
            }
        }
        database.WantsTraces = tasks._tasks.Count > 0;
        foreach (var entry in tasks._tasks.Values)
            tasks.StartOrSayWhyNot(entry);
        return tasks;
    }

    /// <summary>By name.</summary>
    public IReadOnlyList<ConnectionString> Connections()
    {
        lock (_lock)
            return [.. _connections.Values];
    }

    /// <summary>By id.</summary>
    public IReadOnlyList<EtlTaskDescription> List()
    {
        TaskEntry[] entries;
        lock (_lock)
            entries = [.. _tasks.Values];
        return entries.Select(entry => entry.Describe()).ToArray();
    }

    /// <summary>As configured, by id.</summary>
    public IReadOnlyList<TaskDefinition> Definitions()
    {
        lock (_lock)
            return [.. _tasks.Values.Select(entry => entry.Definition)];
    }

    /// <summary>By id; cheaper than <see cref="List"/>, for nothing is read.</summary>
    public IReadOnlyList<EtlTaskSummary> Summaries()
    {
        TaskEntry[] entries;
        lock (_lock)
            entries = [.. _tasks.Values];
        return entries.Select(entry => entry.Summarize()).ToArray();
    }

    private EtlTaskStatus[] Statuses()
    {
        try
        {
            return List().Select(task => task.Status).ToArray();
        }
        catch (Documents.Errors.DatabaseUnavailableException)
        {
            // It is being closed this moment: there is nothing to be told of it any more.
            return [];
        }
    }

    /// <summary>Null when there is none.</summary>
    public EtlTaskDescription? Find(long id)
    {
        TaskEntry? entry;
        lock (_lock)
            _tasks.TryGetValue(id, out entry);
        return entry?.Describe();
    }

    /// <summary>What tasks have missed: deletions that grew too old, or that a disabled task was kept for too long. Until <see cref="ForgetGapsAsync"/>.</summary>
    public IReadOnlyList<DeletionGap> Gaps(long taskId)
    {
        using var reader = _database.OpenRead("ETL gaps");
        return reader.TaskValues(GapPrefix(taskId)).Select(value => DeletionGap.Read(value.Key, value.Value)).ToArray();
    }

    /// <summary>A person has seen to what a task has missed. False when there was nothing.</summary>
    public Task<bool> ForgetGapsAsync(long taskId) => ChangeAsync(async () =>
    {
        var operation = new StoreTaskValuesOperation();
        var gaps = Gaps(taskId);
        foreach (var gap in gaps)
            operation.Remove(DeletionGap.Key(gap.Consumer));
        if (gaps.Count > 0)
            await _database.SubmitAsync(operation).ConfigureAwait(false);
        return gaps.Count > 0;
    });

    /// <summary>Adds or replaces a connection string; the tasks that use it start anew.</summary>
    public Task PutConnectionAsync(ReadOnlyMemory<byte> json) => ChangeAsync(async () =>
    {
        var connection = ConnectionString.Parse(json.Span, name => _connections.GetValueOrDefault(name));
        TaskSinks.Check(connection, _options);
        await _database.SubmitAsync(new StoreTaskValuesOperation().Set(ConnectionKey(connection.Name), connection.StoredJson.ToArray())).ConfigureAwait(false);
        lock (_lock)
            _connections[connection.Name] = connection;
        foreach (var entry in Using(connection.Name))
            await ReplaceAsync(entry, entry).ConfigureAwait(false);
        return true;
    });

    /// <summary>False when there is none. Refused while a task uses it.</summary>
    public Task<bool> RemoveConnectionAsync(string name) => ChangeAsync(async () =>
    {
        if (!_connections.ContainsKey(name))
            return false;
        if (Using(name) is { Length: > 0 } users)
            throw new InvalidConfigurationException($"The connection string '{name}' is in use by the task '{users[0].Definition.Configuration.Name}'.");
        await _database.SubmitAsync(new StoreTaskValuesOperation().Remove(ConnectionKey(name))).ConfigureAwait(false);
        lock (_lock)
            _connections.Remove(name);
        return true;
    });

    /// <summary>Adds a task, or changes one (positions stay), and starts it. Returns its id.</summary>
    /// <param name="json">The protocol's configuration object.</param>
    /// <param name="id">Of the task to change; null: a new one.</param>
    public Task<long> PutTaskAsync(ReadOnlyMemory<byte> json, long? id) => ChangeAsync(async () =>
    {
        TaskEntry? former = null;
        if (id is { } known && !_tasks.TryGetValue(known, out former))
            throw new InvalidConfigurationException($"There is no task {known}.");
        long taskId = id ?? _lastId + 1;
        var definition = TaskDefinition.Parse(json.Span, taskId);
        Check(definition);
        byte[] lastId = new byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(lastId, Math.Max(_lastId, taskId));
        await _database.SubmitAsync(new StoreTaskValuesOperation().Set(LastIdKey, lastId).Set(TaskKey(taskId), definition.ToBytes())).ConfigureAwait(false);
        _lastId = Math.Max(_lastId, taskId);
        await ReplaceAsync(former, new TaskEntry(definition)).ConfigureAwait(false);
        return taskId;
    });

    /// <summary>Removes a task with its positions. False when there is none.</summary>
    public Task<bool> RemoveTaskAsync(long id) => ChangeAsync(async () =>
    {
        if (!_tasks.TryGetValue(id, out var entry))
            return false;
        await entry.DisposeAsync().ConfigureAwait(false);
        var operation = new StoreTaskValuesOperation().Remove(TaskKey(id)).Remove(Positions.TaskPosition.OwnerKey(id));
        using (var reader = _database.OpenRead("ETL task"))
        {
            foreach (var (key, _) in reader.TaskValues(Positions.TaskPosition.KeyPrefix(id)).Concat(reader.TaskValues(GapPrefix(id))))
                operation.Remove(key);
        }
        try
        {
            await _database.SubmitAsync(operation).ConfigureAwait(false);
        }
        catch
        {
            // It is there as before.
            await ReplaceAsync(entry, entry).ConfigureAwait(false);
            throw;
        }
        await OwnDeletions.ForgetAsync(_database, id).ConfigureAwait(false);
        _database.DeleteNote(Running.ScriptDeaths.NoteName(id));
        lock (_lock)
            _tasks.Remove(id);
        _database.WantsTraces = _tasks.Count > 0;
        return true;
    });

    /// <summary>Disables or enables a task. False when there is none.</summary>
    public Task<bool> SetDisabledAsync(long id, bool disabled) => ChangeAsync(async () =>
    {
        if (!_tasks.TryGetValue(id, out var entry))
            return false;
        var definition = entry.Definition.With(disabled);
        await _database.SubmitAsync(new StoreTaskValuesOperation().Set(TaskKey(id), definition.ToBytes())).ConfigureAwait(false);
        await ReplaceAsync(entry, new TaskEntry(definition)).ConfigureAwait(false);
        return true;
    });

    /// <summary>Sets how fast a task may send, from now on; it goes on meanwhile. False when there is none.</summary>
    public Task<bool> SetRateLimitAsync(long id, RateLimit limit) => ChangeAsync(async () =>
    {
        ArgumentNullException.ThrowIfNull(limit);
        if (!_tasks.TryGetValue(id, out var entry))
            return false;
        var definition = entry.Definition.With(limit.Checked());
        await _database.SubmitAsync(new StoreTaskValuesOperation().Set(TaskKey(id), definition.ToBytes())).ConfigureAwait(false);
        entry.ChangeRate(definition);
        return true;
    });

    /// <summary>See <see cref="EtlTaskState.Paused"/>. False when there is no such task, it could not be started, or its loop has ended.</summary>
    public bool Pause(long id) => Tell(id, task => task.Pause());

    /// <summary>After a pause or a fault; one whose loop has ended, or that could not be started, is started anew. False when there is no such task.</summary>
    public Task<bool> ResumeAsync(long id) => ChangeAsync(async () =>
    {
        if (!_tasks.TryGetValue(id, out var entry))
            return false;
        if (entry.Running is { HasEnded: false } running)
            running.Resume();
        else
            await ReplaceAsync(entry, entry).ConfigureAwait(false);
        return true;
    });

    /// <summary>Sends everything after an etag again, or skips to it. False likewise. Throws <see cref="InvalidConfigurationException"/> for an unknown transform.</summary>
    /// <param name="id">The task.</param>
    /// <param name="transform">In any casing; null: all.</param>
    /// <param name="etag">0: from the beginning.</param>
    public bool SetPosition(long id, string? transform, long etag)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(etag);
        if (transform is not null && Find(id) is { } task
            && !task.Definition.Configuration.Transforms.Any(known => known.Name.Equals(transform, StringComparison.OrdinalIgnoreCase)))
        {
            throw new InvalidConfigurationException($"The task '{task.Status.Name}' has no transform named '{transform}'.");
        }
        return Tell(id, task => task.SetPosition(transform, etag));
    }

    /// <summary>Ends every task; what was on its way to a sink may come again when they are opened anew.</summary>
    public async ValueTask DisposeAsync()
    {
        _metrics.Dispose();
        await _changes.WaitAsync().ConfigureAwait(false);
        _isClosed = true;
        try
        {
            // Until the last one has ended nobody takes away the tombstones that the first has yet to send.
            using var held = _database.Consumers.Register("etl/closing", 0, static _ => false);
            // Together: each may wait a while for the answers to what it has sent.
            await Task.WhenAll(_tasks.Values.Select(entry => entry.DisposeAsync().AsTask())).ConfigureAwait(false);
        }
        finally
        {
            // Whoever waits for it is refused.
            _changes.Release();
        }
    }

    private static string TaskKey(long id) => string.Create(CultureInfo.InvariantCulture, $"{TaskPrefix}{id}");

    private static string GapPrefix(long id) => DeletionGap.Key(EtlTask.ConsumerName(id, ""));

    private static string ConnectionKey(string name) => ConnectionPrefix + name.ToLowerInvariant();

    private TaskEntry[] Using(string connection) =>
        _tasks.Values.Where(entry => string.Equals(entry.Definition.ConnectionStringName, connection, StringComparison.OrdinalIgnoreCase)).ToArray();

    private bool Tell(long id, Action<EtlTask> what)
    {
        TaskEntry? entry;
        lock (_lock)
            _tasks.TryGetValue(id, out entry);
        if (entry?.Running is not { HasEnded: false } running)
            return false;
        what(running);
        return true;
    }

    /// <summary>Starts a task in place of the former, which may be itself.</summary>
    private async Task ReplaceAsync(TaskEntry? former, TaskEntry entry)
    {
        // Between the two nobody takes away the tombstones that the task has yet to send.
        using var held = _database.Consumers.Register(EtlTask.ConsumerName(entry.Definition.Configuration.Id, " between two runs"), 0, static _ => false);
        if (former is not null)
            await former.DisposeAsync().ConfigureAwait(false);
        lock (_lock)
            _tasks[entry.Definition.Configuration.Id] = entry;
        _database.WantsTraces = true;
        StartOrSayWhyNot(entry);
    }

    /// <summary>What can be known before a task runs.</summary>
    private void Check(TaskDefinition definition)
    {
        var configuration = definition.Configuration;
        if (_tasks.Values.FirstOrDefault(other => other.Definition.Configuration.Id != configuration.Id
            && string.Equals(other.Definition.Configuration.Name, configuration.Name, StringComparison.OrdinalIgnoreCase)) is not null)
        {
            throw new InvalidConfigurationException($"There is a task named '{configuration.Name}' already.");
        }
        if (!_connections.TryGetValue(definition.ConnectionStringName, out var connection))
            throw new InvalidConfigurationException($"There is no connection string named '{definition.ConnectionStringName}'.");
        TaskSinks.Check(definition, connection);
        foreach (var transform in configuration.Transforms)
            Transforming.TransformScript.Compile(_engine, transform);
    }

    private void StartOrSayWhyNot(TaskEntry entry)
    {
        var connection = _connections.GetValueOrDefault(entry.Definition.ConnectionStringName);
        entry.Start(_database, _engine, _options, connection);
    }

    private async Task<T> ChangeAsync<T>(Func<Task<T>> change)
    {
        await _changes.WaitAsync().ConfigureAwait(false);
        try
        {
            if (_isClosed)
                throw new Documents.Errors.DatabaseDisabledException(_database.Name);
            return await change().ConfigureAwait(false);
        }
        finally
        {
            _changes.Release();
        }
    }
}
