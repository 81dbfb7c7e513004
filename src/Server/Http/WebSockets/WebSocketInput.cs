using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;
using System.Runtime.InteropServices;
using Jackdaw.Storage;

namespace Jackdaw.Server.Http.WebSockets;

/// <summary>
/// Reads a client's frames (RFC 6455, 5). While nothing comes it holds no buffer. For one reader at a time.
/// </summary>
/// <param name="input">The connection's.</param>
/// <param name="maxMessageBytes">Payload of a text message, over all of its frames.</param>
/// <param name="limit">Names that limit in the error.</param>
internal sealed class WebSocketInput(PipeReader input, int maxMessageBytes, string limit) : IDisposable
{
    private const int MaxControlBytes = 125;
    private const int MaskBytes = 4;
    private const int MaxHeaderBytes = 2 + 8 + MaskBytes;
    private const int FirstBufferBytes = 1024;

    /// <summary>What has come and was not taken yet lies between <see cref="_start"/> and <see cref="_end"/>.</summary>
    private byte[] _buffer = [];
    private int _start;
    private int _end;
    private byte[] _fragments = [];
    private int _fragmentBytes;
    private bool _isFragmented;
    private bool _isIncomplete;
    private bool _isHeard;

    /// <summary>A message has begun to arrive and has not ended. Read by other threads.</summary>
    public bool IsIncomplete => Volatile.Read(ref _isIncomplete);

    /// <summary>Something has come since <see cref="TakeHeard"/>. Read by other threads.</summary>
    public bool IsHeard => Volatile.Read(ref _isHeard);

    /// <summary>Whether something has come since the last call.</summary>
    public bool TakeHeard() => Interlocked.Exchange(ref _isHeard, false);

    /// <summary>The next message or control frame; null when the connection has ended. Errors: <see
    /// cref="WebSocketProtocolException"/>, and those
    /// of the stream.</summary>
    public async ValueTask<WebSocketMessage?> ReadAsync()
    {
        while (true)
        {
            if (TryTake(out var message))
                return message;
            Volatile.Write(ref _isIncomplete, _isFragmented || _end > _start);
            if (_start == _end)
                GiveBack();
            var read = await input.ReadAsync();
            if (read.Buffer.IsEmpty)
            {
                // Nobody cancels a read: the client has sent its last byte.
                input.AdvanceTo(read.Buffer.End);
                return null;
            }
            Fill(read.Buffer);
            Volatile.Write(ref _isHeard, true);
        }
    }

    /// <summary>Gives its buffers back. No read may be under way.</summary>
    public void Dispose()
    {
        Volatile.Write(ref _isIncomplete, false);
        GiveBack();
        GiveFragmentsBack();
    }

    /// <summary>Takes whole frames until one completes a message.</summary>
    private bool TryTake(out WebSocketMessage message)
    {
        if (!_isFragmented && _fragments.Length > 0)
            GiveFragmentsBack();
        while (TryTakeFrame(out var opcode, out var isFinal, out var payload))
        {
            if (opcode >= WebSocketOpcode.Close || (isFinal && opcode == WebSocketOpcode.Text))
            {
                message = new WebSocketMessage(opcode, payload);
                return true;
            }
            Append(payload.Span);
            _isFragmented = !isFinal;
            if (!isFinal)
                continue;
            message = new WebSocketMessage(WebSocketOpcode.Text, _fragments.AsMemory(0, _fragmentBytes));
            _fragmentBytes = 0;
            return true;
        }
        message = default;
        return false;
    }

    private bool TryTakeFrame(out WebSocketOpcode opcode, out bool isFinal, out Memory<byte> payload)
    {
        (opcode, isFinal, payload) = (default, default, default);
        var bytes = _buffer.AsSpan(_start, _end - _start);
        if (bytes.Length < 2)
            return false;
        isFinal = (bytes[0] & 0x80) != 0;
        opcode = (WebSocketOpcode)(bytes[0] & 0x0F);
        RequireFrame(bytes[0], bytes[1], opcode, isFinal);
        int headerBytes = 2;
        long length = bytes[1] & 0x7F;
        if (length == 126)
            headerBytes += sizeof(ushort);
        else if (length == 127)
            headerBytes += sizeof(ulong);
        if (bytes.Length < headerBytes)
            return false;
        if (length == 126)
            length = BinaryPrimitives.ReadUInt16BigEndian(bytes[2..]);
        else if (length == 127)
            length = BinaryPrimitives.ReadInt64BigEndian(bytes[2..]);
        // Before any of its bytes is read. A negative length is one beyond 2^63.
        if (length < 0 || length > maxMessageBytes - (opcode < WebSocketOpcode.Close ? _fragmentBytes : 0))
            throw new WebSocketProtocolException(
                WebSocketCloseCode.MessageTooBig,
                $"A message has at most {maxMessageBytes:N0} bytes ({limit}, fixed)."
            );
        if (bytes.Length < headerBytes + MaskBytes + length)
            return false;
        var mask = MemoryMarshal.Read<uint>(bytes[headerBytes..]);
        int at = _start + headerBytes + MaskBytes;
        payload = _buffer.AsMemory(at, (int)length);
        Unmask(payload.Span, mask);
        _start = at + (int)length;
        return true;
    }

    private void RequireFrame(byte first, byte second, WebSocketOpcode opcode, bool isFinal)
    {
        if ((first & 0x70) != 0)
            throw Broken("has a reserved bit set, and no extension was agreed on");
        if ((second & 0x80) == 0)
            throw Broken("is not masked");
        if (opcode == WebSocketOpcode.Binary)
            throw new WebSocketProtocolException(WebSocketCloseCode.UnsupportedData, "Commands are text messages; this one is binary.");
        if (!Enum.IsDefined(opcode))
            throw Broken($"is of the unknown kind {(int)opcode}");
        if (opcode >= WebSocketOpcode.Close && (!isFinal || (second & 0x7F) > MaxControlBytes))
            throw Broken($"is a control frame that is longer than {MaxControlBytes} bytes or in parts");
        if (opcode == WebSocketOpcode.Continuation != _isFragmented && opcode < WebSocketOpcode.Close)
            throw Broken(_isFragmented ? "begins a message inside another one" : "continues no message");
    }

    private static WebSocketProtocolException Broken(string what) => new(WebSocketCloseCode.ProtocolError, $"A frame {what}.");

    private static void Unmask(Span<byte> payload, uint mask)
    {
        var words = MemoryMarshal.Cast<byte, uint>(payload);
        foreach (ref var word in words)
            word ^= mask;
        Span<byte> single = stackalloc byte[MaskBytes];
        MemoryMarshal.Write(single, mask);
        for (var i = words.Length * sizeof(uint); i < payload.Length; i++)
            payload[i] ^= single[i % MaskBytes];
    }

    private void Append(ReadOnlySpan<byte> payload)
    {
        Invariant.Require(_fragmentBytes + payload.Length <= maxMessageBytes);
        if (_fragments.Length - _fragmentBytes < payload.Length)
        {
            var larger = ArrayPool<byte>.Shared.Rent(Math.Max(_fragmentBytes + payload.Length, FirstBufferBytes));
            _fragments.AsSpan(0, _fragmentBytes).CopyTo(larger);
            if (_fragments.Length > 0)
                ArrayPool<byte>.Shared.Return(_fragments);
            _fragments = larger;
        }
        payload.CopyTo(_fragments.AsSpan(_fragmentBytes));
        _fragmentBytes += payload.Length;
    }

    /// <summary>Room behind <see cref="_end"/>: what was taken goes, and the buffer grows up to one message with its header.</summary>
    private void MakeRoom()
    {
        if (_start > 0)
        {
            _buffer.AsSpan(_start, _end - _start).CopyTo(_buffer);
            (_start, _end) = (0, _end - _start);
        }
        if (_end < _buffer.Length)
            return;
        Invariant.Require(_end <= maxMessageBytes + MaxHeaderBytes);
        var larger = ArrayPool<byte>.Shared.Rent(Math.Max(FirstBufferBytes, Math.Min(2 * _end, maxMessageBytes + MaxHeaderBytes)));
        _buffer.AsSpan(0, _end).CopyTo(larger);
        if (_buffer.Length > 0)
            ArrayPool<byte>.Shared.Return(_buffer);
        _buffer = larger;
    }

    /// <summary>Takes as much of what has come as there is room for.</summary>
    private void Fill(ReadOnlySequence<byte> come)
    {
        MakeRoom();
        var taken = come.Slice(0, Math.Min(come.Length, _buffer.Length - _end));
        taken.CopyTo(_buffer.AsSpan(_end));
        _end += (int)taken.Length;
        input.AdvanceTo(taken.End);
    }

    private void GiveBack()
    {
        if (_buffer.Length > 0)
            ArrayPool<byte>.Shared.Return(_buffer);
        _buffer = [];
        (_start, _end) = (0, 0);
    }

    private void GiveFragmentsBack()
    {
        if (_fragments.Length > 0)
            ArrayPool<byte>.Shared.Return(_fragments);
        _fragments = [];
        _fragmentBytes = 0;
    }
}
