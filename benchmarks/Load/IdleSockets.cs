using System.Net.Sockets;
using System.Text;

namespace Jackdaw.Bench.Load;

/// <summary>WebSockets that were opened and then say nothing. They live in the benchmark's process.</summary>
internal sealed class IdleSockets : IDisposable
{
    private const int OpenedAtOnce = 100;
    private static readonly byte[] s_mask = [1, 2, 3, 4];
    private readonly List<Socket> _sockets = [];

    /// <summary>Opens sockets and waits until each has been answered.</summary>
    /// <param name="url">The server.</param>
    /// <param name="path">Of the WebSocket.</param>
    /// <param name="count">How many.</param>
    /// <param name="watches">Has each watch a document of its own, as the Changes API understands it.</param>
    /// <param name="cancel">Gives up.</param>
    public async Task OpenAsync(string url, string path, int count, bool watches, CancellationToken cancel)
    {
        var address = new Uri(url);
        byte[] handshake = Encoding.ASCII.GetBytes(
            $"GET {path} HTTP/1.1\r\nHost: {address.Authority}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        for (int first = 0; first < count; first += OpenedAtOnce)
            await Task.WhenAll(
                Enumerable
                    .Range(first, Math.Min(OpenedAtOnce, count - first))
                    .Select(number => OpenAsync(address, handshake, watches ? number : null, cancel))
            );
    }

    /// <summary>Fails where a socket has ended meanwhile.</summary>
    /// <exception cref="IOException">One has.</exception>
    public void RequireAllOpen()
    {
        byte[] some = new byte[1024];
        foreach (Socket socket in _sockets)
            if (socket.Poll(0, SelectMode.SelectRead) && socket.Receive(some) == 0)
                throw new IOException("the server ended an idle socket");
    }

    public void Dispose() => _sockets.ForEach(socket => socket.Dispose());

    private async Task OpenAsync(Uri address, byte[] handshake, int? watched, CancellationToken cancel)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
        lock (_sockets)
            _sockets.Add(socket);
        await socket.ConnectAsync(address.Host, address.Port, cancel);
        await socket.SendAsync(handshake, cancel);
        string answer = await ReadUntilAsync(socket, "\r\n\r\n", cancel);
        if (!answer.StartsWith("HTTP/1.1 101", StringComparison.Ordinal))
            throw new IOException($"no socket was opened: {answer}");
        if (watched is not { } number)
            return;
        await socket.SendAsync(Frame($$"""{"CommandId":1,"Command":"watch-doc","Param":"users/{{number}}"}"""), cancel);
        await ReadUntilAsync(socket, "Confirm", cancel);
    }

    private static async Task<string> ReadUntilAsync(Socket socket, string text, CancellationToken cancel)
    {
        byte[] bytes = new byte[1024];
        string come = "";
        while (!come.Contains(text, StringComparison.Ordinal))
        {
            int read = await socket.ReceiveAsync(bytes, cancel);
            if (read == 0)
                throw new IOException($"the server ended the connection: {come}");
            come += Encoding.UTF8.GetString(bytes, 0, read);
        }
        return come;
    }

    /// <summary>A masked text frame of less than 126 bytes.</summary>
    private static byte[] Frame(string text)
    {
        byte[] payload = Encoding.UTF8.GetBytes(text);
        return [0x81, (byte)(0x80 | payload.Length), .. s_mask, .. payload.Select((one, at) => (byte)(one ^ s_mask[at % s_mask.Length]))];
    }
}
