using Jackdaw.Server.Http.WebSockets;

namespace Jackdaw.Server.Endpoints.Changes;

/// <summary>Reads a client's commands until either side ends the socket.</summary>
internal sealed class ChangesConversation
{
    private const int DrainBytes = 4096;

    private readonly Stream _stream;
    private readonly ChangesSocket _socket;
    private readonly DatabaseChanges _changes;
    private readonly ChangesLimits _limits;

    /// <param name="stream">The connection after the handshake.</param>
    /// <param name="socket">On that connection.</param>
    /// <param name="changes">Of the socket's database.</param>
    /// <param name="limits">Of commands.</param>
    public ChangesConversation(Stream stream, ChangesSocket socket, DatabaseChanges changes, ChangesLimits limits)
    {
        _stream = stream;
        _socket = socket;
        _changes = changes;
        _limits = limits;
    }

    /// <summary>Runs to the end of the socket, whatever ends it; the connection can be closed then.</summary>
    public async Task RunAsync()
    {
        try
        {
            if (!await ReadCommandsAsync())
                await DrainAsync();
            await _socket.WhenSentAsync();
        }
        catch (Exception e) when (IsEndOfConnection(e))
        {
            // The client has gone, or was cut: there is nobody to tell.
        }
        finally
        {
            _socket.End();
            await _socket.WhenSentAsync();
        }
    }

    /// <summary>The ways in which a read or a write tells that the connection is no more.</summary>
    private static bool IsEndOfConnection(Exception e) =>
        e is IOException or OperationCanceledException or ObjectDisposedException or InvalidOperationException;

    /// <summary>True: both sides have closed, or the connection has ended. False: the client has broken the protocol, and is told
    /// so.</summary>
    private async Task<bool> ReadCommandsAsync()
    {
        using var input = new WebSocketInput(_stream, _limits.MaxCommandBytes, "ChangesLimits.MaxCommandBytes")
        {
            Heard = _socket.NoteHeard,
        };
        _socket.IsIncomplete = () => input.IsIncomplete;
        try
        {
            while (await input.ReadAsync() is { } message)
            {
                switch (message.Opcode)
                {
                    case WebSocketOpcode.Text:
                        Handle(message.Payload);
                        await _socket.WhenAnsweredAsync();
                        break;
                    case WebSocketOpcode.Ping:
                        _socket.Pong(message.Payload.ToArray());
                        break;
                    case WebSocketOpcode.Close:
                        _socket.Close(WebSocketCloseCode.Normal, "");
                        return true;
                    default:
                        break;
                }
            }
            return true;
        }
        catch (WebSocketProtocolException e)
        {
            _socket.Close(e.Code, e.Message);
            return false;
        }
        finally
        {
            _socket.IsIncomplete = static () => false;
        }
    }

    private void Handle(ReadOnlyMemory<byte> message)
    {
        try
        {
            _changes.Handle(_socket, ChangesCommand.Parse(message));
        }
        catch (ChangesCommandException e)
        {
            _socket.Answer(ChangesMessages.Error(e.Message, e.CommandId));
        }
    }

    /// <summary>
    /// Waits for the close frame to be sent, and reads on for a while: a connection that is closed with bytes unread is reset,
    /// and the client may never see
    /// why.
    /// </summary>
    private async Task DrainAsync()
    {
        using var late = new CancellationTokenSource(_limits.ClosingTime);
        await using var cut = late.Token.UnsafeRegister(static socket => ((ChangesSocket)socket!).Abort(), _socket);
        await _socket.WhenSentAsync();
        var bytes = new byte[DrainBytes];
        while (await _stream.ReadAsync(bytes, late.Token) > 0) { }
    }
}
