using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Jackdaw.Etl.Tests.RabbitMq;

/// <summary>TLS in front of a plain port of 127.0.0.1, with a certificate that an authority of its own has signed.</summary>
internal sealed class TlsTerminator : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly X509Certificate2 _certificate;
    private readonly int _targetPort;
    private readonly List<(TcpClient Client, Task Ended)> _connections = [];
    private readonly Task _accepting;

    private TlsTerminator(int targetPort, X509Certificate2 certificate, string authorityFile)
    {
        _targetPort = targetPort;
        _certificate = certificate;
        AuthorityFile = authorityFile;
        _listener.Start();
        _accepting = AcceptAsync();
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    /// <summary>The authority's certificate, PEM.</summary>
    public string AuthorityFile { get; }

    public static TlsTerminator Start(int targetPort, string host)
    {
        var now = DateTimeOffset.UtcNow;
        using var authorityKey = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var authorityRequest = new CertificateRequest("CN=Jackdaw's test authority", authorityKey, HashAlgorithmName.SHA256);
        authorityRequest.CertificateExtensions.Add(new X509BasicConstraintsExtension(certificateAuthority: true, false, 0, critical: true));
        using var authority = authorityRequest.CreateSelfSigned(now.AddDays(-1), now.AddDays(1));
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={host}", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddDnsName(host);
        request.CertificateExtensions.Add(names.Build());
        using var signed = request.Create(authority, now.AddDays(-1), now.AddDays(1), [1, 2, 3, 4]);
        using var withKey = signed.CopyWithPrivateKey(key);
        string file = Path.GetTempFileName();
        File.WriteAllText(file, authority.ExportCertificatePem());
        return new TlsTerminator(targetPort, X509CertificateLoader.LoadPkcs12(withKey.Export(X509ContentType.Pfx), null), file);
    }

    public async ValueTask DisposeAsync()
    {
        _listener.Dispose();
        await _accepting;
        foreach (var (client, _) in _connections)
            client.Dispose();
        await Task.WhenAll(_connections.Select(connection => connection.Ended));
        _certificate.Dispose();
        File.Delete(AuthorityFile);
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
        catch (Exception e) when (e is IOException or SocketException or ObjectDisposedException or System.Security.Authentication.AuthenticationException)
        {
            // A client that does not trust the certificate goes away.
        }
    }
}
