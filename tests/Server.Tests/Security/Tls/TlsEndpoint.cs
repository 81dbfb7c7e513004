using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Jackdaw.Server.Security;
using Jackdaw.Server.Security.Tls;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Jackdaw.Server.Tests.Security.Tls;

/// <summary>A port of TLS with all that a connection goes through before its first request, which is answered with the client's
/// thumbprint.</summary>
internal sealed class TlsEndpoint : IAsyncDisposable
{
    private readonly WebApplication _application;
    private readonly TlsConnections _connections;

    private TlsEndpoint(ServerCertificate certificate, TlsLimits limits, TimeProvider? clock)
    {
        Certificate = certificate;
        _connections = new TlsConnections(limits, clock);
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.WebHost.UseKestrelCore();
        builder.WebHost.UseKestrelHttpsConfiguration();
        builder.WebHost.ConfigureKestrel(options =>
            options.Listen(
                IPAddress.Loopback,
                0,
                listen =>
                {
                    listen.Protocols = HttpProtocols.Http1;
                    listen.UseTls(certificate, _connections, new AccessGate(new Everybody()));
                }
            )
        );
        _application = builder.Build();
        _application.Run(async context => await context.Response.WriteAsync(context.Connection.ClientCertificate?.Thumbprint ?? "none"));
    }

    public ServerCertificate Certificate { get; }

    public BoundedConnections Handshakes => _connections.Handshakes;

    public int Port => new Uri(_application.Urls.First()).Port;

    public static async Task<TlsEndpoint> StartAsync(ServerCertificate certificate, TlsLimits? limits = null, TimeProvider? clock = null)
    {
        var endpoint = new TlsEndpoint(certificate, limits ?? TlsLimits.Default, clock);
        await endpoint._application.StartAsync();
        return endpoint;
    }

    /// <summary>A connection of TCP, and nothing on it yet.</summary>
    public async Task<TcpClient> ConnectAsync()
    {
        var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, Port);
        return client;
    }

    /// <summary>Sends bytes as they are; gives what comes back until the server closes.</summary>
    public async Task<string> SendPlainAsync(byte[] bytes, bool thenCloses = false)
    {
        using var client = await ConnectAsync();
        var stream = client.GetStream();
        using var answer = new MemoryStream();
        try
        {
            await stream.WriteAsync(bytes);
            if (thenCloses)
                client.Client.Shutdown(SocketShutdown.Send);
            await stream.CopyToAsync(answer).WaitAsync(Eventually.Patience);
        }
        catch (Exception e) when (e is IOException or SocketException)
        {
            // Reset: it has closed, too.
        }
        return Encoding.Latin1.GetString(answer.ToArray());
    }

    /// <summary>A handshake and a request: the thumbprint of the client that the server saw, and the server's certificate.</summary>
    public async Task<(string Client, string Server, SslProtocols Protocol)> AskAsync(
        X509Certificate2? mine = null,
        SslProtocols protocols = SslProtocols.None,
        string host = "localhost"
    )
    {
        using var client = await ConnectAsync();
        await using var tls = await HandshakeAsync(client, mine, protocols, host);
        return (await RequestAsync(tls), ((X509Certificate2)tls.RemoteCertificate!).Thumbprint, tls.SslProtocol);
    }

    public static async Task<SslStream> HandshakeAsync(
        TcpClient client,
        X509Certificate2? mine = null,
        SslProtocols protocols = SslProtocols.None,
        string host = "localhost"
    )
    {
        var tls = new SslStream(client.GetStream());
        var options = new SslClientAuthenticationOptions
        {
            TargetHost = host,
            EnabledSslProtocols = protocols,
            RemoteCertificateValidationCallback = (_, presented, _, _) => presented is not null,
            ApplicationProtocols = [SslApplicationProtocol.Http2, SslApplicationProtocol.Http11],
            // Offline, or the client itself would look for its authority.
            ClientCertificateContext = mine is null ? null : SslStreamCertificateContext.Create(mine, null, offline: true),
            AllowTlsResume = false,
        };
        await tls.AuthenticateAsClientAsync(options).WaitAsync(Eventually.Patience);
        return tls;
    }

    /// <summary>A request on a connection that stays open: the body of the answer.</summary>
    public static async Task<string> RequestAsync(SslStream tls)
    {
        await tls.WriteAsync("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"u8.ToArray());
        using var reader = new StreamReader(tls, leaveOpen: true);
        var answer = await reader.ReadToEndAsync().WaitAsync(Eventually.Patience);
        Assert.StartsWith("HTTP/1.1 200", answer);
        // In chunks: its length, the text, the end.
        return answer.Split("\r\n\r\n")[1].Split("\r\n")[1];
    }

    public async ValueTask DisposeAsync()
    {
        await _application.DisposeAsync();
        _connections.Dispose();
    }

    /// <summary>Whom the server knows does not matter here.</summary>
    private sealed class Everybody : ICertificateIdentification
    {
        public int Version => 0;

        public Identification Identify(X509Certificate2 presented) => Identification.Of(Access.Unsecured);
    }
}
