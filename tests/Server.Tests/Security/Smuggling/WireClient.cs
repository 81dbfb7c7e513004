using System.Globalization;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using System.Text;

namespace Jackdaw.Server.Tests.Security.Smuggling;

/// <summary>A client that sends requests byte by byte as the test has written them, on one connection of TLS after the other.</summary>
internal sealed class WireClient(int port, X509Certificate2 mine) : IAsyncDisposable
{
    private static readonly TimeSpan s_hangsAfter = TimeSpan.FromSeconds(30);

    private TcpClient? _tcp;
    private SslStream? _tls;

    /// <summary>Sends a request; gives the answer's status, and all of the answer as it stood on the wire, with the pieces of its body
    /// joined.</summary>
    public async Task<WireAnswer> SendAsync(string request)
    {
        using var late = new CancellationTokenSource(s_hangsAfter);
        // A connection that the server has closed meanwhile is no answer.
        var isFresh = _tls is null;
        while (true)
        {
            try
            {
                var tls = _tls ?? await ConnectAsync(late.Token);
                await tls.WriteAsync(Encoding.UTF8.GetBytes(request), late.Token);
                if (await ReadAsync(tls, isHead: request.StartsWith("HEAD ", StringComparison.OrdinalIgnoreCase), late.Token) is { } answer)
                    return answer;
            }
            catch (IOException) when (!isFresh) { }
            await CloseAsync();
            if (isFresh)
                throw new IOException($"The server closed the connection without an answer to:\n{request}");
            isFresh = true;
        }
    }

    public async ValueTask DisposeAsync() => await CloseAsync();

    private async Task<SslStream> ConnectAsync(CancellationToken late)
    {
        _tcp = new TcpClient { NoDelay = true };
        await _tcp.ConnectAsync(IPAddress.Loopback, port, late);
        _tls = new SslStream(_tcp.GetStream());
        var options = new SslClientAuthenticationOptions
        {
            TargetHost = "localhost",
            ClientCertificates = [mine],
            RemoteCertificateValidationCallback = (_, presented, _, _) => presented is not null,
        };
        await _tls.AuthenticateAsClientAsync(options, late);
        return _tls;
    }

    private async Task CloseAsync()
    {
        if (_tls is not null)
            await _tls.DisposeAsync();
        _tcp?.Dispose();
        (_tls, _tcp) = (null, null);
    }

    /// <summary>Null when the connection has ended.</summary>
    private async Task<WireAnswer?> ReadAsync(SslStream tls, bool isHead, CancellationToken late)
    {
        var head = new StringBuilder();
        while (!EndsWithBlankLine(head))
        {
            if (await ReadByteAsync(tls, late) is not { } next)
                return null;
            head.Append((char)next);
        }
        var lines = head.ToString().Split("\r\n", StringSplitOptions.RemoveEmptyEntries);
        var status = int.Parse(lines[0].Split(' ')[1], CultureInfo.InvariantCulture);
        var body = "";
        if (!isHead && status is not (204 or 304))
            body = ValueOf(lines, "Content-Length") is { } length
                ? await ReadTextAsync(tls, int.Parse(length, CultureInfo.InvariantCulture), late)
                : await ReadChunksAsync(tls, late);
        if (ValueOf(lines, "Connection") is "close")
            await CloseAsync();
        return new WireAnswer(status, string.Join("\n", lines), body);
    }

    private static bool EndsWithBlankLine(StringBuilder text) =>
        text.Length >= 4 && text[^1] == '\n' && text[^2] == '\r' && text[^3] == '\n' && text[^4] == '\r';

    private static string? ValueOf(string[] lines, string header) =>
        lines.FirstOrDefault(line => line.StartsWith(header + ": ", StringComparison.OrdinalIgnoreCase))?[(header.Length + 2)..];

    private static async Task<string> ReadChunksAsync(SslStream tls, CancellationToken late)
    {
        var body = new StringBuilder();
        while (true)
        {
            var line = new StringBuilder();
            while (line.Length < 2 || line[^1] != '\n')
                line.Append((char)(await ReadByteAsync(tls, late) ?? throw new IOException("The answer was cut short.")));
            var length = int.Parse(line.ToString().Trim(), NumberStyles.HexNumber, CultureInfo.InvariantCulture);
            body.Append(await ReadTextAsync(tls, length, late));
            await ReadTextAsync(tls, 2, late);
            if (length == 0)
                return body.ToString();
        }
    }

    private static async Task<string> ReadTextAsync(SslStream tls, int length, CancellationToken late)
    {
        var bytes = new byte[length];
        await tls.ReadExactlyAsync(bytes, late);
        return Encoding.UTF8.GetString(bytes);
    }

    private static async Task<byte?> ReadByteAsync(SslStream tls, CancellationToken late)
    {
        var one = new byte[1];
        return await tls.ReadAsync(one, late) == 0 ? null : one[0];
    }
}
