namespace Jackdaw.Server.Http.WebSockets;

/// <summary>Kinds of frames (RFC 6455, 5.2).</summary>
internal enum WebSocketOpcode : byte
{
    Continuation = 0,
    Text = 1,
    Binary = 2,
    Close = 8,
    Ping = 9,
    Pong = 10,
}
