namespace Jackdaw.Server.Http.WebSockets;

/// <summary>A client has broken the protocol of WebSockets; its socket is closed with the code and the message.</summary>
internal sealed class WebSocketProtocolException : Exception
{
    /// <summary>Creates the error.</summary>
    public WebSocketProtocolException(WebSocketCloseCode code, string message)
        : base(message) => Code = code;

    /// <summary>What the close frame says.</summary>
    public WebSocketCloseCode Code { get; }
}
