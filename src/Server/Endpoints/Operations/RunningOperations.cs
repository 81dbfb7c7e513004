using System.Collections.Concurrent;
using Jackdaw.Server.Http;
using Microsoft.Extensions.Logging;

namespace Jackdaw.Server.Endpoints.Operations;

/// <summary>
/// The operations that run on after their request was answered. Owned by the process: when it is disposed they are told to stop,
/// and waited for.
/// </summary>
internal sealed partial class RunningOperations : IAsyncDisposable
{
    private readonly ConcurrentDictionary<TrackedOperation, Task> _running = new();
    private readonly CancellationTokenSource _ending = new();
    private readonly ILogger _logger;

    public RunningOperations(ILogger logger) => _logger = logger;

    /// <summary>Runs the work on the thread pool, to the operation's end, whatever that is. The work is told to stop by a kill or
    /// by the end of the process.</summary>
    public void Start(TrackedOperation operation, Func<CancellationToken, Task> work)
    {
        var started = new TaskCompletionSource();
        var task = RunAsync(operation, work, started.Task);
        _running[operation] = task;
        started.SetResult();
    }

    public async ValueTask DisposeAsync()
    {
        await _ending.CancelAsync();
        await Task.WhenAll(_running.Values);
        _ending.Dispose();
    }

    private async Task RunAsync(TrackedOperation operation, Func<CancellationToken, Task> work, Task started)
    {
        await started;
        // Not on the thread of the request.
        await Task.Yield();
        try
        {
            using var stop = CancellationTokenSource.CreateLinkedTokenSource(operation.Killed, _ending.Token);
            await work(stop.Token);
            operation.End(OperationStatus.Completed);
        }
        catch (OperationCanceledException) when (operation.Killed.IsCancellationRequested || _ending.IsCancellationRequested)
        {
            operation.End(OperationStatus.Canceled);
        }
        catch (Exception e)
        {
            // Nobody awaits it but the end of the process: its state is where the error is told.
            var answer = ErrorTranslation.Translate(e);
            if (answer.IsUnexpected)
                LogUnexpected(_logger, operation.Id, e);
            operation.End(OperationStatus.Faulted, answer);
        }
        finally
        {
            _running.TryRemove(operation, out _);
        }
    }

    [LoggerMessage(Level = LogLevel.Error, Message = "Operation {Id} failed unexpectedly")]
    private static partial void LogUnexpected(ILogger logger, long id, Exception exception);
}
