using System.Buffers;
using Jackdaw.Server.Http.WebSockets;
using Jackdaw.Storage;

namespace Jackdaw.Server.Endpoints.Changes;

/// <summary>
/// What waits to be sent to one client. Notifications that find no room are dropped, and so are those after them until the client
/// has been sent what
/// waits: then the loss is told in its place. Not thread-safe.
/// </summary>
internal sealed class Outbox
{
    private readonly ChangesLimits _limits;
    private readonly ChangesMemory _memory;

    /// <summary>Null while nothing waits.</summary>
    private Queue<Outgoing>? _messages;
    private int _notifications;
    private int _notificationBytes;
    private long _lost;
    private bool _hasCacheChange;
    private bool _hasPing;
    private byte[]? _pong;
    private byte[]? _close;

    /// <summary>Creates an empty one.</summary>
    public Outbox(ChangesLimits limits, ChangesMemory memory)
    {
        _limits = limits;
        _memory = memory;
    }

    /// <summary>Answers to commands that wait.</summary>
    public int Answers { get; private set; }

    /// <summary>Nothing is taken any more: a close frame waits, or has gone.</summary>
    public bool IsClosing => _close is not null;

    /// <summary>Adds an answer to a command.</summary>
    public void AddAnswer(byte[] json)
    {
        Invariant.Require(!IsClosing);
        Answers++;
        (_messages ??= new Queue<Outgoing>()).Enqueue(new Outgoing(json, IsNotification: false));
    }

    /// <summary>Adds a notification, or counts it as lost.</summary>
    public void AddNotification(byte[] json)
    {
        Invariant.Require(!IsClosing);
        if (
            _lost > 0
            || _notifications >= _limits.MaxQueuedNotifications
            || _notificationBytes + json.Length > _limits.MaxQueuedBytes
            || !_memory.TryTake(Shared(_notificationBytes + json.Length) - Shared(_notificationBytes))
        )
        {
            _lost++;
            _memory.CountLost();
            return;
        }
        _notifications++;
        _notificationBytes += json.Length;
        (_messages ??= new Queue<Outgoing>()).Enqueue(new Outgoing(json, IsNotification: true));
    }

    /// <summary>Adds the notification that cached answers may be old; one that waits stands for all.</summary>
    public void AddCacheChange() => _hasCacheChange = true;

    /// <summary>Adds a ping.</summary>
    public void AddPing() => _hasPing = true;

    /// <summary>Adds the answer to a ping; of several only the last is sent.</summary>
    public void AddPong(ReadOnlySpan<byte> payload) => _pong = payload.ToArray();

    /// <summary>Adds the last frame, which goes when everything else has gone.</summary>
    public void AddClose(WebSocketCloseCode code, string reason) => _close ??= WebSocketFrame.ClosePayload(code, reason);

    /// <summary>Drops what waits.</summary>
    public void Clear()
    {
        _memory.GiveBack(Shared(_notificationBytes));
        _messages = null;
        _notifications = _notificationBytes = Answers = 0;
        _lost = 0;
        _hasCacheChange = _hasPing = false;
        _pong = null;
    }

    /// <summary>
    /// Takes the next frames, in a pooled array that the caller gives back: those of control, and one of messages. Empty when
    /// nothing waits.
    /// <paramref name="isLast"/>: the close frame is among them.
    /// </summary>
    public ArraySegment<byte> Take(out bool isLast)
    {
        isLast = false;
        var (count, messageBytes) = Measure();
        var empties = count == (_messages?.Count ?? 0);
        var loss = empties && _lost > 0 ? ChangesMessages.Lost(_lost) : null;
        var cacheChange = empties && _hasCacheChange ? ChangesMessages.CacheChange : null;
        // A comma in front of each but the first, and two brackets.
        var payloadBytes =
            messageBytes + count + 2 + (loss is null ? 0 : loss.Length + 1) + (cacheChange is null ? 0 : cacheChange.Length + 1);
        var hasText = count > 0 || loss is not null || cacheChange is not null;
        isLast = _close is not null && empties;
        if (!hasText && !_hasPing && _pong is null && !isLast)
            return default;
        var size = payloadBytes + (4 * WebSocketFrame.MaxHeaderBytes) + (_pong?.Length ?? 0) + (_close?.Length ?? 0);
        var frames = new FrameWriter(ArrayPool<byte>.Shared.Rent(size));
        if (_pong is not null)
            frames.Write(WebSocketOpcode.Pong, _pong);
        if (_hasPing)
            frames.Write(WebSocketOpcode.Ping, default);
        (_pong, _hasPing) = (null, false);
        if (hasText)
        {
            frames.BeginArray();
            for (var i = 0; i < count; i++)
                frames.WriteElement(TakeMessage());
            if (loss is not null)
                frames.WriteElement(loss);
            if (cacheChange is not null)
                frames.WriteElement(cacheChange);
            frames.EndArray();
        }
        if (loss is not null)
            _lost = 0;
        if (cacheChange is not null)
            _hasCacheChange = false;
        if (isLast)
            frames.Write(WebSocketOpcode.Close, _close);
        if (empties)
            _messages = null;
        return frames.Written;
    }

    private byte[] TakeMessage()
    {
        var message = _messages!.Dequeue();
        if (!message.IsNotification)
        {
            Answers--;
            return message.Json;
        }
        _notifications--;
        _memory.GiveBack(Shared(_notificationBytes) - Shared(_notificationBytes - message.Json.Length));
        _notificationBytes -= message.Json.Length;
        return message.Json;
    }

    /// <summary>What so many bytes take of the memory that all share.</summary>
    private int Shared(int bytes) => Math.Max(0, bytes - _limits.OwnQueuedBytes);

    /// <summary>How many messages fit into the next frame, and their bytes.</summary>
    private (int Count, int Bytes) Measure()
    {
        if (_messages is null)
            return default;
        int count = 0;
        int bytes = 0;
        foreach (var message in _messages)
        {
            if (count > 0 && bytes + message.Json.Length > _limits.FrameBytes)
                break;
            count++;
            bytes += message.Json.Length;
        }
        return (count, bytes);
    }
}
