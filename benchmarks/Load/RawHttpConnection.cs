using System.Buffers.Text;
using System.Globalization;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;

namespace Jackdaw.Bench.Load;

/// <summary>
/// One keep-alive connection with one request at a time, sent from bytes prepared by the caller: as little client as possible
/// between the clock and the server.
/// </summary>
internal sealed class RawHttpConnection : IDisposable
{
    private readonly Socket _socket;
    private readonly SslStream? _tls;
    private byte[] _received = new byte[16 << 10];
    private int _count;

    private RawHttpConnection(Socket socket, SslStream? tls)
    {
        _socket = socket;
        _tls = tls;
    }

    /// <summary>Connects.</summary>
    /// <param name="url">The server.</param>
    /// <param name="cancel">Gives up.</param>
    /// <param name="certificate">Of the client, over https, and of the server, which has the same; null: plain http.</param>
    public static async Task<RawHttpConnection> OpenAsync(
        string url,
        CancellationToken cancel,
        SslStreamCertificateContext? certificate = null
    )
    {
        var address = new Uri(url);
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        SslStream? tls = null;
        try
        {
            await socket.ConnectAsync(address.Host, address.Port, cancel);
            if (certificate is not null)
                await (tls = new SslStream(new NetworkStream(socket))).AuthenticateAsClientAsync(Options(certificate), cancel);
            return new RawHttpConnection(socket, tls);
        }
        catch
        {
            tls?.Dispose();
            socket.Dispose();
            throw;
        }
    }

    /// <summary>A full handshake each time, with a client certificate.</summary>
    private static SslClientAuthenticationOptions Options(SslStreamCertificateContext certificate) =>
        new()
        {
            TargetHost = "localhost",
            ClientCertificateContext = certificate,
            AllowTlsResume = false,
            RemoteCertificateValidationCallback = (_, presented, _, _) =>
                presented?.GetCertHashString(HashAlgorithmName.SHA256)
                == certificate.TargetCertificate.GetCertHashString(HashAlgorithmName.SHA256),
        };

    /// <summary>Sends the request and reads the whole answer.</summary>
    /// <returns>The status code.</returns>
    /// <exception cref="IOException">The connection ended or the answer is not HTTP.</exception>
    public async ValueTask<int> SendAsync(ReadOnlyMemory<byte> request, CancellationToken cancel)
    {
        if (_tls is not null)
            await _tls.WriteAsync(request, cancel);
        else
            for (int sent = 0; sent < request.Length; )
                sent += await _socket.SendAsync(request[sent..], SocketFlags.None, cancel);
        _count = 0;
        int headEnd;
        while ((headEnd = Received.IndexOf("\r\n\r\n"u8)) < 0)
            await ReceiveAsync(cancel);
        int bodyStart = headEnd + 4;
        string head = Encoding.Latin1.GetString(Received[..headEnd]);
        int status = int.Parse(head.AsSpan(9, 3), CultureInfo.InvariantCulture);
        if (HeaderValue(head, "Content-Length:") is { } length)
            await ReceiveUntilAsync(bodyStart + int.Parse(length, CultureInfo.InvariantCulture), cancel);
        else if (HeaderValue(head, "Transfer-Encoding:") is not null)
            await ReceiveChunksAsync(bodyStart, cancel);
        return status;
    }

    /// <summary>Everything that was received for the last request: head and body, with the marks of chunks.</summary>
    public ReadOnlySpan<byte> Answer => Received;

    private ReadOnlySpan<byte> Received => _received.AsSpan(0, _count);

    private static string? HeaderValue(string head, string name)
    {
        int start = head.IndexOf("\r\n" + name, StringComparison.OrdinalIgnoreCase);
        if (start < 0)
            return null;
        start += 2 + name.Length;
        int end = head.IndexOf('\r', start);
        return head[start..(end < 0 ? head.Length : end)].Trim();
    }

    private async ValueTask ReceiveChunksAsync(int position, CancellationToken cancel)
    {
        while (true)
        {
            int lineEnd;
            while ((lineEnd = Received[position..].IndexOf("\r\n"u8)) < 0)
                await ReceiveAsync(cancel);
            if (!Utf8Parser.TryParse(Received.Slice(position, lineEnd), out int size, out _, 'X'))
                throw new IOException("a chunk's size is not a number");
            position += lineEnd + 2 + size + 2;
            await ReceiveUntilAsync(position, cancel);
            if (size == 0)
                return;
        }
    }

    private async ValueTask ReceiveUntilAsync(int count, CancellationToken cancel)
    {
        while (_count < count)
            await ReceiveAsync(cancel);
    }

    private async ValueTask ReceiveAsync(CancellationToken cancel)
    {
        if (_count == _received.Length)
            Array.Resize(ref _received, _received.Length * 2);
        int read = _tls is not null
            ? await _tls.ReadAsync(_received.AsMemory(_count), cancel)
            : await _socket.ReceiveAsync(_received.AsMemory(_count), SocketFlags.None, cancel);
        if (read == 0)
            throw new IOException("the server closed the connection");
        _count += read;
    }

    public void Dispose()
    {
        _tls?.Dispose();
        _socket.Dispose();
    }
}
