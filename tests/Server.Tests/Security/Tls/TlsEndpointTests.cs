using System.Diagnostics;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Runtime.Versioning;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Jackdaw.Server.Security.Tls;

namespace Jackdaw.Server.Tests.Security.Tls;

/// <summary>A port of TLS before the first request: versions, certificates, clients that speak something else or nothing.</summary>
[SupportedOSPlatform("linux")]
public sealed class TlsEndpointTests : IAsyncLifetime
{
    private readonly CertificateFolder _folder = new();
    private X509Certificate2 _mine = null!;
    private ServerCertificate _certificate = null!;

    public Task InitializeAsync()
    {
        using var made = _folder.Make();
        _certificate = _folder.Open(_folder.WritePfx(made));
        _mine = _folder.Make("client");
        return Task.CompletedTask;
    }

    public Task DisposeAsync()
    {
        _certificate.Dispose();
        _mine.Dispose();
        _folder.Dispose();
        return Task.CompletedTask;
    }

    [Theory]
    [InlineData(SslProtocols.Tls12)]
    [InlineData(SslProtocols.Tls13)]
    public async Task Tls_1_2_and_1_3_are_spoken_with_and_without_a_client_certificate(SslProtocols protocol)
    {
        await using var endpoint = await TlsEndpoint.StartAsync(_certificate);
        var with = await endpoint.AskAsync(_mine, protocol);
        var without = await endpoint.AskAsync(null, protocol);
        Assert.Equal((_mine.Thumbprint, _certificate.Current.Thumbprint, protocol), with);
        Assert.Equal(("none", _certificate.Current.Thumbprint, protocol), without);
    }

    [Theory]
    [InlineData(0x0300)]
    [InlineData(0x0301)]
    [InlineData(0x0302)]
    public async Task An_older_version_is_refused_with_an_alert(int version)
    {
        await using var endpoint = await TlsEndpoint.StartAsync(_certificate);
        var answer = await endpoint.SendPlainAsync(ClientHello(version));
        // An alert record (21), fatal (2): protocol_version (70) or, of SSL 3, handshake_failure (40).
        Assert.True(answer.Length >= 7, $"{answer.Length} bytes");
        Assert.Equal((char)21, answer[0]);
        Assert.Equal((char)2, answer[5]);
        Assert.Contains((int)answer[6], (int[])[70, 40]);
    }

    [Fact]
    public async Task Http_1_1_is_agreed_on_and_a_name_that_nobody_has_changes_nothing()
    {
        await using var endpoint = await TlsEndpoint.StartAsync(_certificate);
        using var client = await endpoint.ConnectAsync();
        await using var tls = await TlsEndpoint.HandshakeAsync(client);
        Assert.Equal(SslApplicationProtocol.Http11, tls.NegotiatedApplicationProtocol);
        foreach (var host in (string[])["", "nobody.example", new string('a', 63) + ".example", "xn--80ak6aa92e.example", "127.0.0.1", "*"])
            Assert.Equal(_mine.Thumbprint, (await endpoint.AskAsync(_mine, host: host)).Client);
    }

    [Theory]
    [InlineData("GET /databases HTTP/1.1\r\nHost: db.example\r\n\r\n")]
    [InlineData("POST /databases/db/bulk_docs HTTP/1.1\r\nHost: db.example\r\nContent-Length: 1000000\r\n\r\n{\"Commands\":")]
    [InlineData("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")]
    [InlineData("get")]
    public async Task Plain_http_is_answered_with_a_sentence(string request)
    {
        await using var endpoint = await TlsEndpoint.StartAsync(_certificate);
        var answer = await endpoint.SendPlainAsync(Encoding.ASCII.GetBytes(request), thenCloses: true);
        Assert.StartsWith("HTTP/1.1 400 ", answer);
        Assert.Contains("This port speaks https only", answer);
        Assert.Contains("https:// instead of http://", answer);
    }

    [Fact]
    public async Task A_client_of_plain_http_that_keeps_its_connection_open_reads_the_sentence()
    {
        await using var endpoint = await TlsEndpoint.StartAsync(_certificate);
        using var client = new HttpClient();
        using var answer = await client.GetAsync($"http://127.0.0.1:{endpoint.Port}/databases");
        Assert.Equal(HttpStatusCode.BadRequest, answer.StatusCode);
        Assert.Contains("speaks https only", await answer.Content.ReadAsStringAsync());
    }

    [Fact]
    public async Task Garbage_half_closed_sockets_and_torn_handshakes_end_their_own_connection_alone()
    {
        await using var endpoint = await TlsEndpoint.StartAsync(_certificate);
        var random = new Random(20261122);
        for (var i = 0; i < 200; i++)
        {
            var bytes = new byte[random.Next(0, 2000)];
            random.NextBytes(bytes);
            // Most of them as the handshake's record, as its length says or not.
            if (bytes.Length > 5 && i % 4 != 0)
                (bytes[0], bytes[1], bytes[2]) = (0x16, 3, (byte)random.Next(0, 5));
            if (bytes.Length > 5 && i % 2 == 0)
                (bytes[3], bytes[4]) = ((byte)(bytes.Length - 5 >> 8), (byte)(bytes.Length - 5));
            await endpoint.SendPlainAsync(bytes, thenCloses: true);
        }
        Assert.Equal(_mine.Thumbprint, (await endpoint.AskAsync(_mine)).Client);
        await Eventually.IsAsync(() => endpoint.Handshakes.Count == 0);
    }

    [Fact]
    public async Task A_flood_of_half_open_handshakes_keeps_nobody_out()
    {
        var limits = new TlsLimits { MaxHandshakes = 64, HandshakeTimeout = TimeSpan.FromMinutes(10) };
        await using var endpoint = await TlsEndpoint.StartAsync(_certificate, limits);
        var silent = new List<TcpClient>();
        var half = ClientHello(0x0303)[..40];
        for (var i = 0; i < 500; i++)
        {
            silent.Add(await endpoint.ConnectAsync());
            if (i % 2 == 0)
                await silent[i].GetStream().WriteAsync(half);
            if (i % 25 == 0)
                Assert.Equal(_mine.Thumbprint, (await endpoint.AskAsync(_mine)).Client);
        }
        await Eventually.IsAsync(() => endpoint.Handshakes.Ended >= 400);
        Assert.True(endpoint.Handshakes.Count <= limits.MaxHandshakes);
        var began = Stopwatch.GetTimestamp();
        for (var i = 0; i < 20; i++)
            Assert.Equal(_mine.Thumbprint, (await endpoint.AskAsync(_mine)).Client);
        Console.WriteLine($"20 handshakes behind 500 half-open ones: {Stopwatch.GetElapsedTime(began).TotalMilliseconds:0} ms");
        silent.ForEach(one => one.Dispose());
        await Eventually.IsAsync(() => endpoint.Handshakes.Count == 0);
    }

    [Fact]
    public async Task A_handshake_that_takes_too_long_is_ended_and_a_connection_that_had_its_own_is_not()
    {
        var clock = new ManualClock();
        await using var endpoint = await TlsEndpoint.StartAsync(
            _certificate,
            new TlsLimits { HandshakeTimeout = TimeSpan.FromMinutes(30) },
            clock
        );
        using var live = await endpoint.ConnectAsync();
        await using var tls = await TlsEndpoint.HandshakeAsync(live, _mine);
        // The client is done with a handshake before the server is.
        await Eventually.IsAsync(() => endpoint.Handshakes.Count == 0);
        using var silent = await endpoint.ConnectAsync();
        await Eventually.IsAsync(() => endpoint.Handshakes.Count == 1);
        clock.Advance(TimeSpan.FromMinutes(29));
        endpoint.Handshakes.Sweep();
        Assert.Equal((1, 0), (endpoint.Handshakes.Count, (int)endpoint.Handshakes.Ended));
        clock.Advance(TimeSpan.FromMinutes(2));
        endpoint.Handshakes.Sweep();
        Assert.Equal((0, 1), (endpoint.Handshakes.Count, (int)endpoint.Handshakes.Ended));
        Assert.Equal(0, await ReadAsync(silent));
        Assert.Equal(_mine.Thumbprint, await TlsEndpoint.RequestAsync(tls));
    }

    [Fact]
    public async Task New_handshakes_get_a_replaced_certificate_and_old_connections_live_on()
    {
        await using var endpoint = await TlsEndpoint.StartAsync(_certificate);
        using var old = await endpoint.ConnectAsync();
        await using var tls = await TlsEndpoint.HandshakeAsync(old, _mine);
        var before = _certificate.Current.Thumbprint;
        using var next = _folder.Make();
        _folder.WritePfx(next);
        Assert.True(_certificate.Look());
        Assert.Equal(next.Thumbprint, (await endpoint.AskAsync(_mine)).Server);
        Assert.Equal(_mine.Thumbprint, await TlsEndpoint.RequestAsync(tls));
        Assert.Equal(before, ((X509Certificate2)tls.RemoteCertificate!).Thumbprint);
    }

    [Fact]
    public async Task The_certificates_of_authorities_are_sent_along()
    {
        using var root = _folder.Make("Root", isAuthority: true);
        using var between = _folder.Make("Between", issuer: root, ends: TimeSpan.FromDays(300), isAuthority: true);
        using var own = _folder.Make(issuer: between, ends: TimeSpan.FromDays(200));
        var pem = own.ExportCertificatePem() + "\n" + between.ExportCertificatePem() + "\n" + CertificateFolder.KeyPem(own);
        using var certificate = _folder.Open(_folder.Write("chain.pem", pem));
        await using var endpoint = await TlsEndpoint.StartAsync(certificate);
        using var client = await endpoint.ConnectAsync();
        await using var tls = new SslStream(client.GetStream());
        var trusting = new X509ChainPolicy { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck };
        trusting.CustomTrustStore.Add(root);
        // Trusts the root alone: without what lies between, the chain would not be whole.
        await tls.AuthenticateAsClientAsync(
            new SslClientAuthenticationOptions { TargetHost = "localhost", CertificateChainPolicy = trusting }
        );
        Assert.Equal(own.Thumbprint, ((X509Certificate2)tls.RemoteCertificate!).Thumbprint);
    }

    /// <summary>A certificate may name any address as its authority's: a server that downloads from there can be sent anywhere.</summary>
    [Fact]
    public async Task Nothing_is_downloaded_on_the_word_of_a_clients_certificate()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var asked = listener.AcceptTcpClientAsync();
        var address = $"http://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}/authority.cer";
        using var stranger = _folder.Make("Stranger", isAuthority: true);
        using var client = _folder.Make(
            "client",
            issuer: stranger,
            ends: TimeSpan.FromDays(10),
            extension: new X509AuthorityInformationAccessExtension(null, [address])
        );
        await using var endpoint = await TlsEndpoint.StartAsync(_certificate);
        foreach (var protocol in (SslProtocols[])[SslProtocols.Tls12, SslProtocols.Tls13])
            Assert.Equal(client.Thumbprint, (await endpoint.AskAsync(client, protocol)).Client);
        Assert.False(asked.IsCompleted);
    }

    /// <summary>Whom the server takes for whom is the gate's; the handshake lets every certificate through.</summary>
    [Fact]
    public async Task An_expired_an_early_and_a_strange_certificate_come_to_the_gate()
    {
        using var expired = _folder.Make("expired", begins: TimeSpan.FromDays(-9), ends: TimeSpan.FromDays(-1));
        using var early = _folder.Make("early", begins: TimeSpan.FromDays(1));
        using var root = _folder.Make("Root", isAuthority: true);
        using var strange = _folder.Make("strange", issuer: root, ends: TimeSpan.FromDays(10));
        using var rsa = _folder.Make("rsa", isRsa: true);
        await using var endpoint = await TlsEndpoint.StartAsync(_certificate);
        foreach (var one in (X509Certificate2[])[expired, early, strange, rsa])
        foreach (var protocol in (SslProtocols[])[SslProtocols.Tls12, SslProtocols.Tls13])
            Assert.Equal(one.Thumbprint, (await endpoint.AskAsync(one, protocol)).Client);
    }

    /// <summary>A client could have the server compute one key exchange after the other on a connection that costs the client
    /// nothing.</summary>
    [Fact]
    public async Task A_client_that_asks_to_negotiate_anew_is_cut_off_and_harms_nobody()
    {
        using var made = _folder.Make();
        using var certificate = _folder.Open(_folder.WritePfx(made));
        await using var endpoint = await TlsEndpoint.StartAsync(certificate);
        var start = new ProcessStartInfo(
            "openssl",
            ["s_client", "-connect", $"127.0.0.1:{endpoint.Port}", "-tls1_2", "-legacy_renegotiation"]
        )
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using var client = Process.Start(start)!;
        var said = client.StandardOutput.ReadToEndAsync();
        var errors = client.StandardError.ReadToEndAsync();
        try
        {
            // Letter by letter: the program takes an R at the beginning of what it reads for the order.
            for (var i = 0; i < 20 && !client.HasExited; i++)
            {
                await client.StandardInput.WriteAsync("R\n");
                await client.StandardInput.FlushAsync();
                await Task.Delay(50);
            }
            client.StandardInput.Close();
        }
        catch (IOException)
        {
            // It has ended: the server has cut it off.
        }
        await client.WaitForExitAsync().WaitAsync(Eventually.Patience);

        var transcript = await said + await errors;
        // The first one ends the connection.
        Assert.Equal(1, transcript.Split("RENEGOTIATING").Length - 1);
        Assert.NotEqual(0, client.ExitCode);
        Assert.Equal("none", (await endpoint.AskAsync()).Client);
    }

    [Fact]
    public async Task A_client_certificate_of_100_KB_ends_its_own_connection_alone()
    {
        using var huge = _folder.Make(
            "huge",
            extension: new X509Extension(new System.Security.Cryptography.Oid("1.2.3.4.5"), new byte[120 * 1024], critical: false)
        );
        await using var endpoint = await TlsEndpoint.StartAsync(_certificate);
        foreach (var protocol in (SslProtocols[])[SslProtocols.Tls12, SslProtocols.Tls13])
            await Assert.ThrowsAnyAsync<Exception>(() => endpoint.AskAsync(huge, protocol));
        Assert.Equal(_mine.Thumbprint, (await endpoint.AskAsync(_mine)).Client);
    }

    private static async Task<int> ReadAsync(TcpClient client)
    {
        try
        {
            return await client.GetStream().ReadAsync(new byte[1]).AsTask().WaitAsync(Eventually.Patience);
        }
        catch (IOException)
        {
            return 0;
        }
    }

    /// <summary>The first record of a handshake of an older version: RFC 5246, 7.4.1.2, without extensions.</summary>
    private static byte[] ClientHello(int version)
    {
        byte[] suites = [0x00, 0x2F, 0x00, 0x35, 0xC0, 0x13, 0xC0, 0x09, 0xC0, 0x2B, 0xC0, 0x2F];
        byte[] hello = [(byte)(version >> 8), (byte)version, .. new byte[32], 0, 0, (byte)suites.Length, .. suites, 1, 0];
        byte[] message = [1, 0, 0, (byte)hello.Length, .. hello];
        return [0x16, 3, Math.Min((byte)version, (byte)1), 0, (byte)message.Length, .. message];
    }
}
