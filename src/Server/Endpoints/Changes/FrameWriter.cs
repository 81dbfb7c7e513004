using Jackdaw.Server.Http.WebSockets;
using Jackdaw.Storage;

namespace Jackdaw.Server.Endpoints.Changes;

/// <summary>Writes frames one after another into an array that has room for them.</summary>
internal ref struct FrameWriter(byte[] bytes)
{
    private int _length;
    private int _payload;

    /// <summary>The frames so far.</summary>
    public readonly ArraySegment<byte> Written => new(bytes, 0, _length);

    /// <summary>Writes a whole frame.</summary>
    public void Write(WebSocketOpcode opcode, ReadOnlySpan<byte> payload)
    {
        _length += WebSocketFrame.WriteHeader(bytes.AsSpan(_length), opcode, payload.Length);
        payload.CopyTo(bytes.AsSpan(_length));
        _length += payload.Length;
    }

    /// <summary>Begins a text frame that holds a JSON array. Its header comes when its length is known.</summary>
    public void BeginArray()
    {
        _payload = _length + WebSocketFrame.MaxHeaderBytes;
        bytes[_payload] = (byte)'[';
        _length = _payload + 1;
    }

    /// <summary>Writes an element of the array.</summary>
    public void WriteElement(ReadOnlySpan<byte> json)
    {
        if (_length > _payload + 1)
            bytes[_length++] = (byte)',';
        json.CopyTo(bytes.AsSpan(_length));
        _length += json.Length;
    }

    /// <summary>Ends the array and its frame.</summary>
    public void EndArray()
    {
        bytes[_length++] = (byte)']';
        var payload = bytes.AsSpan(_payload, _length - _payload);
        var start = _payload - WebSocketFrame.MaxHeaderBytes;
        var header = WebSocketFrame.WriteHeader(bytes.AsSpan(start), WebSocketOpcode.Text, payload.Length);
        Invariant.Require(header <= WebSocketFrame.MaxHeaderBytes);
        payload.CopyTo(bytes.AsSpan(start + header));
        _length = start + header + payload.Length;
    }
}
