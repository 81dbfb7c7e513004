using Jackdaw.Server.Endpoints.BulkInsert;
using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Operations;

/// <summary>An operation whose state clients may ask for while it runs and for a while after. Thread-safe.</summary>
internal sealed class TrackedOperation : IDisposable
{
    private static long s_started;

    private readonly CancellationTokenSource _kill = new();
    private readonly Lock _gate = new();
    private readonly Action<TrackedOperation>? _changed;
    private OperationState _state;

    /// <param name="id">From <see cref="OperationRegistry.NextId"/>.</param>
    /// <param name="databaseId">The database that it belongs to.</param>
    /// <param name="progress">The progress that is reported until the first <see cref="Report"/>.</param>
    /// <param name="changed">Told, after each change of the state, on the thread that made it.</param>
    public TrackedOperation(long id, Guid databaseId, OperationProgress progress, Action<TrackedOperation>? changed = null)
    {
        _changed = changed;
        _state = new OperationState(OperationStatus.InProgress, progress, null);
        Id = id;
        DatabaseId = databaseId;
    }

    public long Id { get; }

    public Guid DatabaseId { get; }

    /// <summary>Orders operations by their beginning: a client-chosen id says nothing about that.</summary>
    public long Started { get; } = Interlocked.Increment(ref s_started);

    /// <summary>Cancelled when a client kills the operation.</summary>
    public CancellationToken Killed => _kill.Token;

    public OperationState State
    {
        get
        {
            lock (_gate)
                return _state;
        }
    }

    public void Report(OperationProgress progress)
    {
        lock (_gate)
        {
            if (_state.Status != OperationStatus.InProgress)
                return;
            _state = _state with { Progress = progress };
        }
        _changed?.Invoke(this);
    }

    /// <summary>Ends the operation; only the first end counts.</summary>
    public void End(OperationStatus status, ErrorAnswer? error = null)
    {
        lock (_gate)
        {
            if (_state.Status != OperationStatus.InProgress)
                return;
            _state = _state with { Status = status, Error = error };
        }
        _changed?.Invoke(this);
    }

    public void Kill() => _kill.Cancel();

    public void Dispose() => _kill.Dispose();
}
