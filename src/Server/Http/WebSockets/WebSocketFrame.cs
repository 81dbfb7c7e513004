using System.Buffers.Binary;
using System.Text;
using Jackdaw.Storage;

namespace Jackdaw.Server.Http.WebSockets;

/// <summary>The server's frames: whole, unmasked.</summary>
internal static class WebSocketFrame
{
    /// <summary>Bytes that a header takes at most.</summary>
    public const int MaxHeaderBytes = 10;

    private const int MaxReasonBytes = 123;

    /// <summary>Writes the header of a whole frame and returns its length.</summary>
    public static int WriteHeader(Span<byte> destination, WebSocketOpcode opcode, int payloadBytes)
    {
        Invariant.Require(payloadBytes >= 0);
        destination[0] = (byte)(0x80 | (byte)opcode);
        if (payloadBytes < 126)
        {
            destination[1] = (byte)payloadBytes;
            return 2;
        }
        if (payloadBytes <= ushort.MaxValue)
        {
            destination[1] = 126;
            BinaryPrimitives.WriteUInt16BigEndian(destination[2..], (ushort)payloadBytes);
            return 4;
        }
        destination[1] = 127;
        BinaryPrimitives.WriteInt64BigEndian(destination[2..], payloadBytes);
        return MaxHeaderBytes;
    }

    /// <summary>The payload of a close frame; a reason that is too long for it is cut.</summary>
    public static byte[] ClosePayload(WebSocketCloseCode code, string reason)
    {
        Span<byte> text = stackalloc byte[MaxReasonBytes];
        Encoding.UTF8.GetEncoder().Convert(reason, text, flush: true, out _, out var length, out _);
        var payload = new byte[sizeof(ushort) + length];
        BinaryPrimitives.WriteUInt16BigEndian(payload, (ushort)code);
        text[..length].CopyTo(payload.AsSpan(sizeof(ushort)));
        return payload;
    }
}
