using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text.Json;
using Jackdaw.EventStreams.Client.Errors;
using Jackdaw.EventStreams.Client.Repeating;

namespace Jackdaw.EventStreams.Client.Appending;

/// <summary>
/// Joins the appends of all callers: what comes while a request is under way goes together in the next one. A request whose answer is
/// lost is repeated, without the appends that were given up meanwhile. One stream is never in two requests at a time.
/// </summary>
internal sealed class JoinedAppends : IAsyncDisposable
{
    private readonly ServerConnection _server;
    private readonly EventStreamsClientOptions _options;
    private readonly Lock _lock = new();
    private readonly AppendQueue _queue;
    private readonly CancellationTokenSource _end = new();
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _senders;
    private bool _isEnding;

    public JoinedAppends(ServerConnection server)
    {
        _server = server;
        _options = server.Options;
        _queue = new AppendQueue(_options);
    }

    /// <summary>Events and bytes that are queued or under way.</summary>
    public (int Events, long Bytes) Queued
    {
        get
        {
            lock (_lock)
                return (_queue.Events, _queue.Bytes);
        }
    }

    /// <summary>See <see cref="EventStreamsClient.AppendAsync"/>.</summary>
    public async Task<GroupResult[]> AppendAsync(StreamAppend append, CallTime time, CancellationToken cancel)
    {
        var call = new AppendCall(append, AppendRules.Verify(append, _options), time);
        cancel.ThrowIfCancellationRequested();
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_isEnding, this);
            _queue.Enter(call);
        }
        try
        {
            await call.Admitted.WaitAsync(time.Left, time.Clock, cancel);
            call.Encode(_options.MaxAppendBytes);
            MakeReady(call);
            return await call.Outcome.WaitAsync(time.Left, time.Clock, cancel);
        }
        catch (TimeoutException)
        {
            return await GiveUpAsync(call);
        }
        catch (OperationCanceledException) when (cancel.IsCancellationRequested)
        {
            if (!Abandon(call, onlyIfUnsent: true))
                throw;
            // It may be stored this moment: only the answer tells.
            return await FinishAsync(call);
        }
        catch
        {
            Abandon(call, onlyIfUnsent: false);
            throw;
        }
    }

    /// <summary>Ends when no append of the stream that is under way now can be stored later, as far as this process knows.</summary>
    public Task WhenSettled(string stream)
    {
        lock (_lock)
            return _queue.WhenSettled(stream);
    }

    /// <summary>Fails what waits, and ends what is under way.</summary>
    public async ValueTask DisposeAsync()
    {
        List<AppendCall> waiting;
        lock (_lock)
        {
            if (_isEnding)
                return;
            _isEnding = true;
            waiting = _queue.All();
            if (_senders == 0)
                _ended.TrySetResult();
        }
        await _end.CancelAsync();
        foreach (var call in waiting)
        {
            call.Fail(new ObjectDisposedException(nameof(EventStreamsClient)));
            call.Admit();
        }
        await _ended.Task;
    }

    private async Task<GroupResult[]> FinishAsync(AppendCall call)
    {
        try
        {
            return await call.Outcome.WaitAsync(call.Time.Left, call.Time.Clock);
        }
        catch (TimeoutException)
        {
            return await GiveUpAsync(call);
        }
    }

    /// <summary>Its time is over: takes the answer if it came just now.</summary>
    private async Task<GroupResult[]> GiveUpAsync(AppendCall call)
    {
        Abandon(call, onlyIfUnsent: false);
        if (call.IsAnswered || call.Outcome.IsCompleted)
            return await call.Outcome;
        throw Unavailable(call);
    }

    private ServerUnavailableException Unavailable(AppendCall call) =>
        RepeatedCall.Unavailable(_server, $"the append to stream '{call.Append.Stream}'", call.Time, call.WasSent, call.LastError);

    private void MakeReady(AppendCall call)
    {
        List<JoinedRequest>? started;
        lock (_lock)
        {
            call.IsEncoded = true;
            if (!call.HasLeft)
                _queue.MakeReady(call);
            started = TakeForSenders();
        }
        Start(started);
    }

    /// <summary>It is not sent again. Returns whether it was sent before.</summary>
    private bool Abandon(AppendCall call, bool onlyIfUnsent)
    {
        JoinedRequest? abandoned = null;
        List<JoinedRequest>? started;
        bool wasSent;
        lock (_lock)
        {
            wasSent = call.WasSent;
            call.IsAbandoned = true;
            if (call.Request is null)
                _queue.Leave(call);
            else if (!(onlyIfUnsent && wasSent) && call.Request.IsAbandoned)
                abandoned = call.Request;
            started = TakeForSenders();
        }
        Start(started);
        abandoned?.Abandon();
        if (wasSent && call.HasLeft)
            call.Fail(Unavailable(call));
        return wasSent;
    }

    /// <summary>Takes requests for senders that do not run yet; null: none. Called under the lock.</summary>
    private List<JoinedRequest>? TakeForSenders()
    {
        List<JoinedRequest>? taken = null;
        while (_senders < _options.MaxAppendRequests && !_isEnding)
        {
            var calls = _queue.Take();
            if (calls.Count == 0)
                break;
            (taken ??= []).Add(Join(calls));
            _senders++;
        }
        return taken;
    }

    /// <summary>Starts senders. They never fail; <see cref="DisposeAsync"/> waits for their end.</summary>
    private void Start(List<JoinedRequest>? requests)
    {
        if (requests is null)
            return;
        // Not on the caller's scheduler: it may be an actor's, which waits for this. On the thread pool nobody is woken for the sending.
        var isInline =
            requests.Count == 1
            && SynchronizationContext.Current is null
            && TaskScheduler.Current == TaskScheduler.Default
            && RuntimeHelpers.TryEnsureSufficientExecutionStack();
        foreach (var request in requests)
            _ = isInline ? SendAllAsync(request) : Task.Run(() => SendAllAsync(request));
    }

    private static JoinedRequest Join(List<AppendCall> calls)
    {
        var request = new JoinedRequest(calls);
        foreach (var call in calls)
            call.Request = request;
        return request;
    }

    /// <summary>Sends one request after another until nothing is ready.</summary>
    private async Task SendAllAsync(JoinedRequest first)
    {
        var answered = new List<AppendCall>();
        for (var request = first; request is not null; )
        {
            try
            {
                await SendAsync(request, answered);
            }
            catch (Exception e)
            {
                // Nothing of the kind is expected. Callers must learn of it all the same, and the next ones be served.
                FailAll(request, e);
            }
            request = Next();
            // One caller that nobody waits behind goes on here. By now this is no sender any more, so that caller may do as it likes.
            var isInline = request is null && answered.Count == 1;
            foreach (var call in answered)
                call.Complete(isInline);
            answered.Clear();
        }
    }

    private JoinedRequest? Next()
    {
        lock (_lock)
        {
            var calls = _isEnding ? [] : _queue.Take();
            if (calls.Count > 0)
                return Join(calls);
            if (--_senders == 0 && _isEnding)
                _ended.TrySetResult();
            return null;
        }
    }

    /// <summary>Sends a request until it is answered or nobody waits for it. Adds the appends that are answered.</summary>
    private async Task SendAsync(JoinedRequest request, List<AppendCall> answered)
    {
        var backOff = new BackOff(_options.Clock);
        using var end = CancellationTokenSource.CreateLinkedTokenSource(request.Abandoned, _end.Token);
        for (var number = 0; Prepare(request) is { } groups; number++)
        {
            using var attempt = new Attempt(
                _options.Clock,
                Attempt.Timeout(_options.AttemptTimeout, number, _options.RepeatFor),
                end.Token
            );
            try
            {
                var (databaseId, results) = await PostAsync(groups, attempt.Token);
                _server.Met(databaseId);
                Distribute(request, results, answered);
                return;
            }
            catch (RequestRefusedException e) when (e.ConcernsContent && request.Calls.Count > 1)
            {
                // One of them spoils it for all.
                await SendEachAsync(request, answered);
                return;
            }
            catch (Exception e) when (attempt.IsPassing(e))
            {
                foreach (var call in request.Calls)
                    call.LastError = e;
            }
            catch (OperationCanceledException) when (end.IsCancellationRequested)
            {
                // Nobody waits for it: the next turn of the loop ends it.
                ObjectDisposedException.ThrowIf(_end.IsCancellationRequested, this);
                continue;
            }
            catch (Exception e)
            {
                FailAll(request, e is JsonException ? _server.NotUnderstood("an append", e) : e);
                return;
            }
            try
            {
                await backOff.WaitAsync(_options.RepeatFor, end.Token);
            }
            catch (OperationCanceledException)
            {
                // As above.
            }
        }
    }

    private async Task<(string DatabaseId, List<GroupResult> Results)> PostAsync(
        List<ReadOnlyMemory<byte>> groups,
        CancellationToken cancel
    )
    {
        using var content = new AppendContent(groups);
        using var answer = await _server.SendAsync(HttpMethod.Post, _server.Appends, content, cancel);
        var (databaseId, results) = AppendAnswer.Parse(await answer.Content.ReadAsByteArrayAsync(cancel));
        return results.Count == groups.Count
            ? (databaseId, results)
            : throw new JsonException($"{groups.Count} groups were sent, {results.Count} answered.");
    }

    /// <summary>Lets go of those that were given up, and collects the groups of the others; null: there are none.</summary>
    private List<ReadOnlyMemory<byte>>? Prepare(JoinedRequest request)
    {
        List<AppendCall>? unanswered = null;
        List<ReadOnlyMemory<byte>>? groups = null;
        lock (_lock)
        {
            for (var i = request.Calls.Count - 1; i >= 0; i--)
            {
                var call = request.Calls[i];
                if (!call.IsAbandoned && !call.Time.IsOver)
                    continue;
                request.Calls.RemoveAt(i);
                call.Request = null;
                _queue.Leave(call);
                (unanswered ??= []).Add(call);
            }
            foreach (var call in request.Calls)
            {
                call.WasSent = true;
                (groups ??= []).AddRange(call.Part);
            }
        }
        // Their callers wait for an answer that will not come.
        foreach (var call in unanswered ?? [])
            call.Fail(Unavailable(call));
        return groups;
    }

    /// <summary>Gives each append its results. Those that have all of theirs are added to <paramref name="answered"/>.</summary>
    private void Distribute(JoinedRequest request, List<GroupResult> results, List<AppendCall> answered)
    {
        List<AppendCall>? unanswered = null;
        var all = CollectionsMarshal.AsSpan(results);
        lock (_lock)
        {
            foreach (var call in request.Calls)
            {
                var mine = all[..call.Part.Length];
                all = all[call.Part.Length..];
                call.Request = null;
                if (call.Take(mine) && !call.IsAbandoned)
                {
                    _queue.MakeReady(call);
                    continue;
                }
                _queue.Leave(call);
                if (call.IsAnswered)
                    answered.Add(call);
                else
                    (unanswered ??= []).Add(call);
            }
            request.Calls.Clear();
        }
        foreach (var call in unanswered ?? [])
            call.Fail(Unavailable(call));
    }

    private async Task SendEachAsync(JoinedRequest request, List<AppendCall> answered)
    {
        JoinedRequest[] each;
        lock (_lock)
        {
            each = [.. request.Calls.Select(call => Join([call]))];
            request.Calls.Clear();
        }
        foreach (var one in each)
        {
            await SendAsync(one, answered);
            // The next one may take its time.
            foreach (var call in answered)
                call.Complete(isInline: false);
            answered.Clear();
        }
    }

    private void FailAll(JoinedRequest request, Exception error)
    {
        AppendCall[] failed;
        lock (_lock)
        {
            failed = [.. request.Calls];
            request.Calls.Clear();
            foreach (var call in failed)
            {
                call.Request = null;
                _queue.Leave(call);
            }
        }
        foreach (var call in failed)
            call.Fail(error);
    }
}
