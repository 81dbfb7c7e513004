namespace Jackdaw.Server.Http.WebSockets;

/// <summary>Why a socket is closed (RFC 6455, 7.4.1).</summary>
internal enum WebSocketCloseCode : ushort
{
    Normal = 1000,
    GoingAway = 1001,
    ProtocolError = 1002,
    UnsupportedData = 1003,
    PolicyViolation = 1008,
    MessageTooBig = 1009,
    InternalError = 1011,
}
