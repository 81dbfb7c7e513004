using Jackdaw.Documents;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Running;
using Jackdaw.Etl.Sinks;
using Jackdaw.Scripting;

namespace Jackdaw.Etl;

/// <summary>A task that is configured, and its thread while it runs.</summary>
internal sealed class TaskEntry(TaskDefinition definition) : IAsyncDisposable
{
    private volatile EtlTaskThread? _thread;
    private HeldTombstones? _held;
    private volatile string? _failure;
    private DateTimeOffset _failedAt;
    private volatile TaskDefinition _definition = definition;

    public TaskDefinition Definition => _definition;

    /// <summary>Null when it could not be started.</summary>
    public EtlTask? Running => _thread?.Task;

    /// <summary>Takes no reader, as <see cref="Describe"/> does.</summary>
    public EtlTaskSummary Summarize()
    {
        if (Running is { } task)
            return task.Summary();
        var status = NotRunning();
        return new EtlTaskSummary(status.Id, status.Name, status.State, status.Reason, _failedAt);
    }

    /// <summary>Differs from the former one in its rate limit only: the task goes on.</summary>
    public void ChangeRate(TaskDefinition definition)
    {
        _definition = definition;
        Running?.SetRateLimit(definition.Configuration.RateLimit);
    }

    public EtlTaskDescription Describe() => new(Definition, Running?.Status() ?? NotRunning());

    public void Start(Database database, ScriptEngine engine, EtlOptions options, ConnectionString? connection)
    {
        var configuration = Definition.Configuration;
        ISink? sink = null;
        try
        {
            if (Definition.Flaw is { } flaw)
                throw new InvalidConfigurationException(flaw);
            if (connection is null)
                throw new InvalidConfigurationException($"There is no connection string named '{Definition.ConnectionStringName}'.");
            sink = options.Sink?.Invoke(Definition) ?? TaskSinks.Create(Definition, connection, database, options);
            _thread = new EtlTaskThread(new EtlTask(configuration, database, engine, sink, options), database, configuration.Name);
            _failure = null;
        }
        catch (InvalidConfigurationException e)
        {
            // The other tasks have no part in it; whoever looks at this one is told.
            _failure = e.Message;
            _failedAt = options.Clock.GetUtcNow();
            sink?.DisposeAsync().AsTask().GetAwaiter().GetResult();
            _held = new HeldTombstones(database, configuration);
        }
    }

    /// <summary>Ends its thread, if it has one; it may be started again.</summary>
    public async ValueTask DisposeAsync()
    {
        _held?.Dispose();
        _held = null;
        if (_thread is not { } thread)
            return;
        await thread.DisposeAsync().ConfigureAwait(false);
        _thread = null;
    }

    private EtlTaskStatus NotRunning() =>
        new(
            Definition.Configuration.Id,
            Definition.Configuration.Name,
            _failure is null ? EtlTaskState.Closed : EtlTaskState.Stopped,
            _failure,
            [],
            0,
            0,
            0,
            0,
            0
        );
}
