using Jackdaw.Server.Http;

namespace Jackdaw.Server.Endpoints.Operations;

/// <summary>
/// Requests that change the server's state carry <c>raft-request-id</c>; one that is sent again gets the first one's result
/// instead of running twice.
/// The last <see cref="Remembered"/> are remembered, for as long as the process lives. Thread-safe.
/// </summary>
internal sealed class RepeatedRequests
{
    public const int Remembered = 2048;

    /// <summary>Characters of an id that is remembered: clients send guids.</summary>
    public const int MaxIdLength = 256;

    private readonly Lock _gate = new();
    private readonly Dictionary<string, Task> _results = new(StringComparer.OrdinalIgnoreCase);
    private readonly Queue<string> _order = new();

    /// <summary>Runs <paramref name="work"/>, or awaits what it gave when <paramref name="requestId"/> was here before. A failed
    /// run may be repeated. Throws what the work throws, and <see cref="RepeatedRequestException"/> where it waited for another's
    /// work.</summary>
    /// <param name="requestId">Null or empty: just run it.</param>
    /// <param name="scope">Keeps ids of different endpoints and databases apart.</param>
    /// <param name="work">The change.</param>
    public async Task<T> RunOnceAsync<T>(string? requestId, string scope, Func<Task<T>> work)
    {
        if (string.IsNullOrEmpty(requestId))
            return await work();
        if (requestId.Length > MaxIdLength)
            throw new BadRequestException($"A raft-request-id has at most {MaxIdLength} characters (fixed), not {requestId.Length:N0}.");
        var key = $"{scope}\n{requestId}";
        Task<T> task;
        TaskCompletionSource<T>? first = null;
        lock (_gate)
        {
            if (_results.TryGetValue(key, out var known))
                task = (Task<T>)known;
            else
            {
                first = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
                _results.Add(key, task = first.Task);
                _order.Enqueue(key);
                if (_order.Count > Remembered)
                    _results.Remove(_order.Dequeue());
            }
        }
        if (first is null)
            return await RepeatAsync(task);
        try
        {
            var result = await work();
            first.SetResult(result);
            return result;
        }
        catch (Exception e)
        {
            lock (_gate)
                _results.Remove(key);
            first.SetException(e);
            // Perhaps nobody waits for it.
            _ = task.Exception;
            throw;
        }
    }

    private static async Task<T> RepeatAsync<T>(Task<T> first)
    {
        try
        {
            return await first;
        }
        catch (Exception e)
        {
            throw new RepeatedRequestException(e);
        }
    }
}
