using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using Jackdaw.Brokers;

namespace Jackdaw.Etl.Tests;

/// <summary>TLS in front of a plain port of 127.0.0.1, with a certificate that an authority of its own has signed.</summary>
internal sealed class TlsTerminator : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly X509Certificate2 _certificate;
    private readonly TestAuthority _authority;
    private readonly int _targetPort;
    private readonly List<(TcpClient Client, Task Ended)> _connections = [];
    private readonly Task _accepting;

    private TlsTerminator(int targetPort, X509Certificate2 certificate, TestAuthority authority)
    {
        _targetPort = targetPort;
        _certificate = certificate;
        _authority = authority;
        _listener.Start();
        _accepting = AcceptAsync();
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    /// <summary>The authority's certificate, PEM.</summary>
    public string AuthorityFile => _authority.CertificateFile;

    public static TlsTerminator Start(int targetPort, string host)
    {
        var authority = new TestAuthority();
        return new TlsTerminator(targetPort, authority.Issue(host), authority);
    }

    public async ValueTask DisposeAsync()
    {
        _listener.Dispose();
        await _accepting;
        foreach (var (client, _) in _connections)
            client.Dispose();
        await Task.WhenAll(_connections.Select(connection => connection.Ended));
        _certificate.Dispose();
        _authority.Dispose();
    }

    private async Task AcceptAsync()
    {
        while (true)
        {
            TcpClient client;
            try
            {
                client = await _listener.AcceptTcpClientAsync();
            }
            catch (Exception e) when (e is SocketException or ObjectDisposedException)
            {
                return;
            }
            _connections.Add((client, ServeAsync(client)));
        }
    }

    private async Task ServeAsync(TcpClient client)
    {
        using var server = new TcpClient();
        try
        {
            await using var secure = new SslStream(client.GetStream());
            await secure.AuthenticateAsServerAsync(_certificate);
            await server.ConnectAsync(IPAddress.Loopback, _targetPort);
            await Task.WhenAny(secure.CopyToAsync(server.GetStream()), server.GetStream().CopyToAsync(secure));
        }
        catch (Exception e)
            when (e is IOException or SocketException or ObjectDisposedException or System.Security.Authentication.AuthenticationException)
        {
            // A client that does not trust the certificate goes away.
        }
    }
}
