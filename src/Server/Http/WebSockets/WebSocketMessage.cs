namespace Jackdaw.Server.Http.WebSockets;

/// <summary>A text message that has arrived whole, or a control frame.</summary>
/// <param name="Opcode">Text, Close, Ping or Pong.</param>
/// <param name="Payload">Valid until the next read.</param>
internal readonly record struct WebSocketMessage(WebSocketOpcode Opcode, ReadOnlyMemory<byte> Payload);
