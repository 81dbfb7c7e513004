using System.Buffers;
using System.IO.Pipelines;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Connections;

namespace Jackdaw.Server.Security.Tls;

/// <summary>Recognizes by its first byte a client that speaks plain HTTP on a port of TLS, and tells it so.</summary>
internal static class PlainHttp
{
    /// <summary>The content type of a TLS record that holds a part of the handshake (RFC 8446, 5.1).</summary>
    private const byte HandshakeRecord = 0x16;

    /// <summary>What is read of the client's request while the answer is on its way: a connection that is closed with unread bytes is
    /// reset, and the client would not see the answer.</summary>
    private const int MostDrainedBytes = 64 * 1024;

    private static readonly TimeSpan s_longestDraining = TimeSpan.FromSeconds(2);

    private static readonly byte[] s_answer = Answer();

    /// <summary>Waits for the first byte, and leaves it unread. False: the connection is to be closed, and a client of plain HTTP has had
    /// its answer.</summary>
    public static async ValueTask<bool> IsTlsAsync(ConnectionContext connection)
    {
        var input = connection.Transport.Input;
        try
        {
            var read = await input.ReadAsync();
            if (read.Buffer.IsEmpty)
            {
                input.AdvanceTo(read.Buffer.End);
                return false;
            }
            var first = read.Buffer.FirstSpan[0];
            // Nothing is marked as examined, so the handshake reads the same bytes without waiting for others.
            input.AdvanceTo(read.Buffer.Start);
            if (first == HandshakeRecord)
                return true;
            if (char.IsAsciiLetter((char)first))
                await RefuseAsync(connection);
            return false;
        }
        catch (Exception e) when (e is ConnectionAbortedException or ConnectionResetException)
        {
            return false;
        }
    }

    private static async Task RefuseAsync(ConnectionContext connection)
    {
        await connection.Transport.Output.WriteAsync(s_answer);
        using var enough = new CancellationTokenSource(s_longestDraining);
        try
        {
            await DrainAsync(connection.Transport.Input, enough.Token);
        }
        catch (OperationCanceledException)
        {
            // The client keeps its side open; it has had the time to read.
        }
    }

    private static async Task DrainAsync(PipeReader input, CancellationToken enough)
    {
        for (long drained = 0; drained < MostDrainedBytes; )
        {
            var read = await input.ReadAsync(enough);
            drained += read.Buffer.Length;
            input.AdvanceTo(read.Buffer.End);
            if (read.IsCompleted)
                return;
        }
    }

    private static byte[] Answer()
    {
        const string Message =
            "This port speaks https only, and the request came as plain http. Use the same address with https:// instead of http://.";
        const string Type = "Raven.Client.Exceptions.BadRequestException";
        var body = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(body))
        {
            json.WriteStartObject();
            json.WriteString("Url", "/");
            json.WriteString("Type", Type);
            json.WriteString("Message", Message);
            json.WriteString("Error", $"{Type}: {Message}");
            json.WriteEndObject();
        }
        var head =
            "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\n"
            + $"Content-Length: {body.WrittenCount}\r\nConnection: close\r\n\r\n";
        return [.. Encoding.ASCII.GetBytes(head), .. body.WrittenSpan];
    }
}
