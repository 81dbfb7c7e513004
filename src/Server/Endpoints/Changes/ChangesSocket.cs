using System.Buffers;
using Jackdaw.Server.Http.WebSockets;
using Microsoft.AspNetCore.Connections;

namespace Jackdaw.Server.Endpoints.Changes;

/// <summary>
/// One client's socket, as those see it that have something to tell. An idle one holds nothing but its watches: frames are sent
/// by an item of the thread
/// pool's while something waits. Thread-safe.
/// </summary>
internal sealed class ChangesSocket : IThreadPoolWorkItem
{
    private readonly Lock _gate = new();
    private readonly ConnectionContext _connection;
    private readonly ChangesLimits _limits;
    private readonly Outbox _outbox;
    private bool _isSending;
    private bool _hasEnded;
    private bool _isDetached;
    private TaskCompletionSource? _answered;
    private TaskCompletionSource? _sent;
    private int _silentHeartbeats;
    private int _incompleteHeartbeats;

    /// <param name="connection">After the handshake.</param>
    /// <param name="limits">What may wait for it.</param>
    /// <param name="memory">What may wait for all clients.</param>
    public ChangesSocket(ConnectionContext connection, ChangesLimits limits, ChangesMemory memory)
    {
        _connection = connection;
        _limits = limits;
        _outbox = new Outbox(limits, memory);
        Input = new WebSocketInput(connection.Transport.Input, limits.MaxCommandBytes, "ChangesLimits.MaxCommandBytes");
    }

    /// <summary>What it watches; null: nothing yet. Under the lock of its <see cref="DatabaseChanges"/>.</summary>
    public HashSet<Watch>? Watches { get; set; }

    /// <summary>The number of the notification that it was given last, so that it gets each once. Under the same lock.</summary>
    public long LastTold { get; set; }

    /// <summary>What comes from the client; for one reader.</summary>
    public WebSocketInput Input { get; }

    /// <summary>Heartbeats since something came from the client.</summary>
    public int SilentHeartbeats => Input.IsHeard ? 0 : Volatile.Read(ref _silentHeartbeats);

    /// <summary>Queues an answer to a command; it is never dropped.</summary>
    public void Answer(byte[] json) => Add(json, static (outbox, json) => outbox.AddAnswer(json));

    /// <summary>Queues a notification, or counts it as lost where the client does not read.</summary>
    /// <param name="json">Shared by all sockets that get it.</param>
    public void Notify(byte[] json) => Add(json, static (outbox, json) => outbox.AddNotification(json));

    /// <summary>Queues that cached answers may be old.</summary>
    public void NotifyCacheChange() => Add(0, static (outbox, _) => outbox.AddCacheChange());

    /// <summary>Queues the answer to a ping.</summary>
    public void Pong(byte[] payload) => Add(payload, static (outbox, payload) => outbox.AddPong(payload));

    /// <summary>Sends what waits and then a close frame; nothing that comes later is sent.</summary>
    public void Close(WebSocketCloseCode code, string reason)
    {
        Add((code, reason), static (outbox, close) => outbox.AddClose(close.code, close.reason));
        lock (_gate)
            _answered?.TrySetResult();
    }

    /// <summary>Breaks the connection, if it is there still: whoever reads or writes it ends.</summary>
    public void Abort()
    {
        End();
        if (!Volatile.Read(ref _isDetached))
            _connection.Abort();
    }

    /// <summary>The connection is the server's own again: it is not touched any more.</summary>
    public void Detach() => Volatile.Write(ref _isDetached, true);

    /// <summary>The connection has ended: what waits is dropped.</summary>
    public void End()
    {
        lock (_gate)
        {
            _hasEnded = true;
            _outbox.Clear();
            _answered?.TrySetResult();
        }
    }

    /// <summary>A heartbeat has passed: the client is asked for a sign of life, or cut when it has given none for too long. Never two at a
    /// time.</summary>
    public void Beat()
    {
        Volatile.Write(ref _silentHeartbeats, Input.TakeHeard() ? 1 : _silentHeartbeats + 1);
        if (_silentHeartbeats > _limits.MaxSilentHeartbeats)
        {
            Abort();
            return;
        }
        _incompleteHeartbeats = Input.IsIncomplete ? _incompleteHeartbeats + 1 : 0;
        if (_incompleteHeartbeats > _limits.MaxIncompleteHeartbeats)
            Close(
                WebSocketCloseCode.PolicyViolation,
                $"A message took longer than {(int)(_limits.MaxIncompleteHeartbeats * _limits.Heartbeat).TotalSeconds} s to arrive whole."
            );
        else
            Add(0, static (outbox, _) => outbox.AddPing());
        // Its close frame finds no reader, or its client goes on sending.
        if (_incompleteHeartbeats > _limits.MaxIncompleteHeartbeats + 1)
            Abort();
    }

    /// <summary>Ends when so few answers wait that the next command may be read.</summary>
    public Task WhenAnsweredAsync()
    {
        lock (_gate)
        {
            if (_outbox.Answers < _limits.MaxQueuedAnswers || _hasEnded || _outbox.IsClosing)
                return Task.CompletedTask;
            _answered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return _answered.Task;
        }
    }

    /// <summary>Ends when nothing waits and nothing is being sent.</summary>
    public Task WhenSentAsync()
    {
        lock (_gate)
        {
            if (!_isSending)
                return Task.CompletedTask;
            _sent ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return _sent.Task;
        }
    }

    /// <inheritdoc/>
    void IThreadPoolWorkItem.Execute() => _ = SendAllAsync();

    private void Add<T>(T what, Action<Outbox, T> add)
    {
        lock (_gate)
        {
            if (_hasEnded || _outbox.IsClosing)
                return;
            add(_outbox, what);
            if (_isSending)
                return;
            _isSending = true;
        }
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
    }

    /// <summary>Sends until nothing waits; never two at a time. It does not fail: where the connection does, whoever reads commands from it
    /// learns that, too.</summary>
    private async Task SendAllAsync()
    {
        try
        {
            while (Next(out var isLast) is { Count: > 0 } frames)
            {
                var output = _connection.Transport.Output;
                output.Write(frames);
                ArrayPool<byte>.Shared.Return(frames.Array!);
                if ((await output.FlushAsync()).IsCompleted)
                    throw new IOException("The connection has ended.");
                if (isLast)
                    End();
            }
        }
        catch (Exception e) when (e is IOException or OperationCanceledException or ObjectDisposedException or InvalidOperationException)
        {
            EndSending();
            Abort();
        }
    }

    /// <summary>The next frames; empty when there are none, and then sending has ended.</summary>
    private ArraySegment<byte> Next(out bool isLast)
    {
        isLast = false;
        lock (_gate)
        {
            var frames = _hasEnded ? default : _outbox.Take(out isLast);
            if (_outbox.Answers < _limits.MaxQueuedAnswers)
            {
                _answered?.TrySetResult();
                _answered = null;
            }
            if (frames.Count == 0)
                EndSending();
            return frames;
        }
    }

    private void EndSending()
    {
        lock (_gate)
        {
            _isSending = false;
            _sent?.TrySetResult();
            _sent = null;
        }
    }
}
