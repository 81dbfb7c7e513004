using Jackdaw.Server.Http.WebSockets;
using Microsoft.AspNetCore.Connections;

namespace Jackdaw.Server.Endpoints.Changes;

/// <summary>Reads a client's commands until either side ends the socket.</summary>
internal sealed class ChangesConversation
{
    private readonly ConnectionContext _connection;
    private readonly ChangesSocket _socket;
    private readonly DatabaseChanges _changes;
    private readonly ServerChanges _server;

    private ChangesConversation(ConnectionContext connection, DatabaseChanges changes, ServerChanges server)
    {
        _connection = connection;
        _socket = new ChangesSocket(connection, server.Limits, server.Memory);
        _changes = changes;
        _server = server;
    }

    /// <summary>Runs to the end of the socket, whatever ends it; the connection can be closed then.</summary>
    /// <param name="connection">After the handshake.</param>
    /// <param name="changes">Of the socket's database.</param>
    /// <param name="server">All sockets.</param>
    public static Task RunAsync(ConnectionContext connection, DatabaseChanges changes, ServerChanges server) =>
        new ChangesConversation(connection, changes, server).RunAsync();

    private async Task RunAsync()
    {
        _server.NoteOpened();
        try
        {
            _changes.Add(_socket);
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
            _socket.Detach();
            _changes.Remove(_socket);
            _server.NoteEnded();
        }
    }

    /// <summary>The ways in which a read or a write tells that the connection is no more.</summary>
    private static bool IsEndOfConnection(Exception e) =>
        e is IOException or OperationCanceledException or ObjectDisposedException or InvalidOperationException;

    /// <summary>True: both sides have closed, or the connection has ended. False: the client has broken the protocol, and is told
    /// so.</summary>
    private async Task<bool> ReadCommandsAsync()
    {
        using var input = _socket.Input;
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
        using var late = new CancellationTokenSource(_server.Limits.ClosingTime);
        await using var cut = late.Token.UnsafeRegister(static socket => ((ChangesSocket)socket!).Abort(), _socket);
        await _socket.WhenSentAsync();
        var input = _connection.Transport.Input;
        while (await input.ReadAsync(late.Token) is { IsCompleted: false } read)
            input.AdvanceTo(read.Buffer.End);
    }
}
