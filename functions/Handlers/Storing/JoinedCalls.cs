namespace Jackdaw.Functions.Handlers.Storing;

/// <summary>
/// Calls that are made while another is under way are sent together as the next one, so that many handlers at once cost one request. A call
/// that finds none under way is sent at once, alone, and its caller's cancellation ends it. Thread-safe.
/// </summary>
/// <typeparam name="TCall">What is asked for.</typeparam>
/// <typeparam name="TResult">The answer to one call.</typeparam>
/// <param name="mostCalls">Calls that are sent together at most.</param>
/// <param name="mostSize">Their sizes together at most; a larger call is sent alone.</param>
/// <param name="sizeOf">The size of a call.</param>
/// <param name="send">Sends calls and returns the answer to each, in their order.</param>
/// <param name="isOfOne">An error may be the fault of one of several calls: each is then sent alone. Any other error concerns all.</param>
internal sealed class JoinedCalls<TCall, TResult>(
    int mostCalls,
    long mostSize,
    Func<TCall, long> sizeOf,
    Func<IReadOnlyList<TCall>, CancellationToken, Task<IReadOnlyList<TResult>>> send,
    Func<Exception, bool> isOfOne
)
{
    private readonly Lock _lock = new();
    private readonly Queue<Waiting> _waiting = [];
    private bool _isUnderWay;

    /// <summary>Sends a call, perhaps with others, and returns the answer to it.</summary>
    /// <param name="call">What is asked for; not changed meanwhile.</param>
    /// <param name="cancel">Ends the wait. What was sent with others goes on.</param>
    public async Task<TResult> CallAsync(TCall call, CancellationToken cancel)
    {
        Waiting? waiting = null;
        lock (_lock)
        {
            if (_isUnderWay)
                _waiting.Enqueue(waiting = new Waiting(call, sizeOf(call), cancel));
            _isUnderWay = true;
        }
        if (waiting is not null)
            return await waiting.Answer.Task.WaitAsync(cancel);
        try
        {
            return (await send([call], cancel))[0];
        }
        finally
        {
            SendNext();
        }
    }

    /// <summary>Sends what has come meanwhile.</summary>
    private void SendNext()
    {
        var next = new List<Waiting>();
        long size = 0;
        lock (_lock)
        {
            while (next.Count < mostCalls && _waiting.TryPeek(out var first) && (next.Count == 0 || size + first.Size <= mostSize))
            {
                _waiting.Dequeue();
                // Nobody waits for it any more.
                if (first.Cancel.IsCancellationRequested)
                    continue;
                next.Add(first);
                size += first.Size;
            }
            _isUnderWay = next.Count > 0;
        }
        if (next.Count > 0)
            _ = Task.Run(() => SendAsync(next), CancellationToken.None);
    }

    private async Task SendAsync(List<Waiting> calls)
    {
        try
        {
            await AnswerAsync(calls);
        }
        finally
        {
            SendNext();
        }
    }

    private async Task AnswerAsync(List<Waiting> calls)
    {
        try
        {
            var answers = await send([.. calls.Select(one => one.Call)], CancellationToken.None);
            foreach (var (one, answer) in calls.Zip(answers))
                one.Answer.TrySetResult(answer);
        }
        catch (Exception e) when (calls.Count > 1 && isOfOne(e))
        {
            foreach (var one in calls)
                await AnswerAsync([one]);
        }
        catch (Exception e)
        {
            // An exception each: their callers add to the trace of what they throw on.
            foreach (var one in calls)
                one.Answer.TrySetException(calls.Count > 1 ? new InfrastructureException(e.Message, e) : e);
        }
    }

    private sealed class Waiting(TCall call, long size, CancellationToken cancel)
    {
        public TCall Call => call;

        public long Size => size;

        public CancellationToken Cancel => cancel;

        public TaskCompletionSource<TResult> Answer { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
