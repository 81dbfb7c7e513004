using System.Buffers.Binary;
using System.Globalization;
using Jackdaw.Documents;
using Jackdaw.Documents.Tombstones;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Running;
using Jackdaw.Etl.Values;
using Jackdaw.Scripting;

namespace Jackdaw.Etl;

/// <summary>
/// A database's tasks and connection strings: kept in the database, changed by whole calls one after another, each durable when
/// its task ends. Thread-safe.
/// Errors of every change: <see cref="InvalidConfigurationException"/>, <see cref="Scripting.Errors.ScriptException"/> (a script
/// that does not compile, with its place),
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

    /// <summary>Reads what is stored and starts the tasks. One that cannot start (its script engine is missing, a secret's file
    /// is gone) is there and says why.</summary>
    public static EtlTasks Open(Database database, ScriptEngine engine, EtlOptions options)
    {
        ArgumentNullException.ThrowIfNull(database);
        ArgumentNullException.ThrowIfNull(options);
        var tasks = new EtlTasks(database, engine, options);
        using (var reader = database.OpenRead("ETL tasks"))
        {
            if (reader.TryGetEtlValue(LastIdKey, out var lastId))
                tasks._lastId = BinaryPrimitives.ReadInt64LittleEndian(lastId);
            foreach (var (_, json) in reader.EtlValuesOf(ConnectionPrefix))
            {
                var connection = ConnectionString.Stored(json);
                tasks._connections[connection.Name] = connection;
            }
            foreach (var (key, json) in reader.EtlValuesOf(TaskPrefix))
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

    /// <summary>Ends every task; what was on its way to a sink may come again when they are opened anew.</summary>
    public async ValueTask DisposeAsync()
    {
        _metrics.Dispose();
        await _changes.WaitAsync().ConfigureAwait(false);
        _isClosed = true;
        try
        {
            // Until the last one has ended nobody takes away the tombstones that the first has yet to send.
            using var held = _database.Consumers.HoldCleaning();
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

    private static string ConnectionKey(string name) => ConnectionPrefix + name.ToLowerInvariant();

    private TaskEntry[] Using(string connection) =>
        _tasks
            .Values.Where(entry => string.Equals(entry.Definition.ConnectionStringName, connection, StringComparison.OrdinalIgnoreCase))
            .ToArray();

    /// <summary>Starts a task in place of the former, which may be itself.</summary>
    /// <param name="former">Null: there is none.</param>
    /// <param name="entry">The task.</param>
    /// <param name="change">What is stored in between, when the former has stored its last; when that fails the former is started
    /// again.</param>
    private async Task ReplaceAsync(TaskEntry? former, TaskEntry entry, Func<StoreValuesOperation>? change = null)
    {
        // Between the two nobody takes away the tombstones that the task has yet to send.
        using var held = _database.Consumers.HoldCleaning();
        if (former is not null)
            await former.DisposeAsync().ConfigureAwait(false);
        if (change is not null)
            await StoreBetweenAsync(former, change).ConfigureAwait(false);
        lock (_lock)
            _tasks[entry.Definition.Configuration.Id] = entry;
        _database.WantsTraces = true;
        StartOrSayWhyNot(entry);
    }

    private async Task StoreBetweenAsync(TaskEntry? former, Func<StoreValuesOperation> change)
    {
        try
        {
            await _database.SubmitAsync(change()).ConfigureAwait(false);
        }
        catch
        {
            if (former is not null)
                StartOrSayWhyNot(former);
            throw;
        }
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
