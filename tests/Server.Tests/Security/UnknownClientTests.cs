using System.Collections;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Runtime.Versioning;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Jackdaw.Server.Configuration;
using Jackdaw.Server.Hosting;
using Jackdaw.Server.Security;
using Jackdaw.Server.Security.Tls;
using Jackdaw.Server.Tests.Security.Tls;
using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Security;

/// <summary>Clients that the server does not know cost it little, however many they are and whatever they do.</summary>
[SupportedOSPlatform("linux")]
public sealed class UnknownClientTests : IAsyncLifetime
{
    private const int MaxConnections = 48;

    private readonly KnownClients _clients = new();
    private readonly CertificateFolder _folder = new();
    private readonly ManualClock _clock = new();
    private readonly List<IDisposable> _opened = [];
    private ServerScene _scene = null!;
    private ServerCertificate _certificate = null!;
    private HttpServer _http = null!;
    private X509Certificate2 _known = null!;
    private X509Certificate2 _unknown = null!;
    private int _port;

    public async Task InitializeAsync()
    {
        _scene = await ServerScene.OpenAsync(certificates: _clients);
        _scene.State.IsOpened = true;
        using var made = _folder.Make();
        _certificate = _folder.Open(_folder.WritePfx(made));
        _known = _folder.Make("known");
        _unknown = _folder.Make("unknown");
        _clients.Set(_known, "known", Clearance.ValidUser, ("db", DatabaseRight.Read));
        var configuration = ServerConfiguration.Read(
            ["--RunInMemory=true", $"--Limits.MaxConnections={MaxConnections}"],
            new Hashtable()
        ) with
        {
            ServerUrls = [new Uri("https://127.0.0.1:0")],
        };
        _http = new HttpServer(configuration, _certificate, _scene.State.Gate, _clock);
        await _http.StartAsync(_scene.State.Dispatcher, bound => _port = new Uri(bound).Port);
    }

    public async Task DisposeAsync()
    {
        _opened.ForEach(one => one.Dispose());
        await _http.DisposeAsync();
        await _scene.DisposeAsync();
        _certificate.Dispose();
        _known.Dispose();
        _unknown.Dispose();
        _folder.Dispose();
        _clients.Dispose();
    }

    [Theory]
    [InlineData("GET", "/databases")]
    [InlineData("GET", "/databases/db/docs?id=a")]
    [InlineData("POST", "/no/such/route")]
    public async Task An_unknown_client_is_refused_and_its_connection_closed(string method, string path)
    {
        foreach (var mine in new[] { null, _unknown })
        {
            await using var tls = await ConnectAsync(mine);
            await SendAsync(tls, method, path);
            using var reader = new StreamReader(tls);
            var answer = await reader.ReadToEndAsync().WaitAsync(Eventually.Patience);
            Assert.StartsWith("HTTP/1.1 403", answer, StringComparison.Ordinal);
            Assert.Contains("\r\nConnection: close\r\n", answer, StringComparison.Ordinal);
            Assert.Contains("AuthorizationException", answer, StringComparison.Ordinal);
        }
        await using var known = await ConnectAsync(_known);
        for (var i = 0; i < 3; i++)
        {
            await SendAsync(known, "GET", "/databases/other/stats");
            Assert.Equal(403, await AnswerAsync(known));
        }
    }

    [Fact]
    public async Task Strangers_who_keep_their_connections_open_do_not_keep_a_known_client_out()
    {
        await using var first = await ConnectAsync(_known);
        for (var i = 0; i < 8 * MaxConnections; i++)
        {
            var stranger = await ConnectAsync(i % 2 == 0 ? _unknown : null);
            // Some ask what anyone may ask, and keep the connection for more.
            if (i % 3 == 0)
            {
                await SendAsync(stranger, "GET", "/health/live");
                Assert.Equal(200, await AnswerAsync(stranger));
            }
            if (i % 16 != 0)
                continue;
            using var known = await ConnectAsync(_known);
            await SendAsync(known, "GET", "/databases/db/stats");
            Assert.Equal(200, await AnswerAsync(known));
        }
        await SendAsync(first, "GET", "/databases/db/stats");
        Assert.Equal(200, await AnswerAsync(first));
        Assert.True(_http.Connections.Unknown.Count <= MaxConnections / 4, $"{_http.Connections.Unknown.Count}");
        Assert.True(_http.Connections.Unknown.Ended >= 7 * MaxConnections, $"{_http.Connections.Unknown.Ended}");
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task A_thousand_strangers_each_with_a_certificate_of_its_own_are_refused_and_leave_nothing_behind()
    {
        await using var known = await ConnectAsync(_known);
        for (var i = 0; i < 1000; i++)
        {
            var stranger = _clients.Unknown($"stranger {i}");
            await using var tls = await ConnectAsync(stranger);
            await SendAsync(tls, "GET", "/databases");
            using var reader = new StreamReader(tls);
            var answer = await reader.ReadToEndAsync().WaitAsync(Eventually.Patience);
            Assert.StartsWith("HTTP/1.1 403", answer, StringComparison.Ordinal);
        }

        await SendAsync(known, "GET", "/databases/db/stats");
        Assert.Equal(200, await AnswerAsync(known));
        await using var another = await ConnectAsync(_known);
        await SendAsync(another, "GET", "/databases/db/stats");
        Assert.Equal(200, await AnswerAsync(another));
        Assert.Equal(2, _scene.State.Gate.OpenConnections);
        await Eventually.IsAsync(() => _http.Connections.Unknown.Count == 0);
    }

    [Fact]
    public async Task An_unknown_client_that_is_idle_is_ended_and_a_known_one_is_not()
    {
        await using var known = await ConnectAsync(_known);
        await using var silent = await ConnectAsync(_unknown);
        await using var probe = await ConnectAsync(null);
        await Eventually.IsAsync(() => _http.Connections.Unknown.Count == 2);
        _clock.Advance(TimeSpan.FromSeconds(20));
        // Half a request is no sign of life.
        await silent.WriteAsync("GET /health/live HTTP/1.1\r\nHost: loc"u8.ToArray());
        await SendAsync(probe, "GET", "/health/ready");
        Assert.Equal(200, await AnswerAsync(probe));
        _clock.Advance(TimeSpan.FromSeconds(20));
        _http.Connections.Unknown.Sweep();
        Assert.True(await HasEndedAsync(silent));
        await SendAsync(probe, "GET", "/health/live");
        Assert.Equal(200, await AnswerAsync(probe));
        _clock.Advance(TimeSpan.FromSeconds(31));
        _http.Connections.Unknown.Sweep();
        Assert.True(await HasEndedAsync(probe));
        await Eventually.IsAsync(() => _http.Connections.Unknown.Count == 0);
        await SendAsync(known, "GET", "/databases/db/stats");
        Assert.Equal(200, await AnswerAsync(known));
    }

    [Fact]
    public async Task A_client_whose_certificate_is_stored_meanwhile_is_no_longer_unknown()
    {
        await using var client = await ConnectAsync(_unknown);
        await Eventually.IsAsync(() => _http.Connections.Unknown.Count == 1);
        _clients.Set(_unknown, "stored", Clearance.ValidUser, ("db", DatabaseRight.Read));
        await SendAsync(client, "GET", "/databases/db/stats");
        Assert.Equal(200, await AnswerAsync(client));
        Assert.Equal(0, _http.Connections.Unknown.Count);
        _clock.Advance(TimeSpan.FromMinutes(5));
        _http.Connections.Unknown.Sweep();
        await SendAsync(client, "GET", "/databases/db/stats");
        Assert.Equal(200, await AnswerAsync(client));
    }

    [Fact]
    public async Task A_certificate_that_is_deleted_ends_a_connection_that_has_had_no_request_yet()
    {
        await using var client = await ConnectAsync(_known);
        await Eventually.IsAsync(() => _scene.State.Gate.OpenConnections == 1);
        _clients.Remove(_known);
        Assert.Equal("known", Assert.Single(_scene.State.Gate.EndThoseWithLess()).Name);
        Assert.True(await HasEndedAsync(client));
    }

    [Theory]
    [InlineData(20_000, 1000, 1024)]
    [InlineData(100, 25, 50)]
    [InlineData(1, 1, 1)]
    public void The_bounds_of_clients_that_nobody_let_in_leave_room_for_others(int all, int unknown, int handshakes)
    {
        var limits = TlsLimits.Of(ServerConfiguration.Read([$"--Limits.MaxConnections={all}"], new Hashtable()));
        Assert.Equal((unknown, handshakes), (limits.MaxUnknown, limits.MaxHandshakes));
    }

    private async Task<SslStream> ConnectAsync(X509Certificate2? mine)
    {
        var client = new TcpClient();
        _opened.Add(client);
        await client.ConnectAsync(IPAddress.Loopback, _port);
        return await TlsEndpoint.HandshakeAsync(client, mine);
    }

    private static Task SendAsync(SslStream tls, string method, string path) =>
        tls.WriteAsync(Encoding.ASCII.GetBytes($"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")).AsTask();

    /// <summary>Reads one answer and gives its status.</summary>
    private static async Task<int> AnswerAsync(SslStream tls)
    {
        var answer = new StringBuilder();
        var buffer = new byte[4096];
        while (true)
        {
            var read = await tls.ReadAsync(buffer).AsTask().WaitAsync(Eventually.Patience);
            Assert.True(read > 0, $"The connection ended after '{answer}'.");
            answer.Append(Encoding.ASCII.GetString(buffer, 0, read));
            var text = answer.ToString();
            if (text.IndexOf("\r\n\r\n", StringComparison.Ordinal) is not (> 0 and var end))
                continue;
            const string Length = "Content-Length: ";
            var at = text.IndexOf(Length, StringComparison.OrdinalIgnoreCase);
            var length = at < 0 ? 0 : int.Parse(text[(at + Length.Length)..text.IndexOf('\r', at)]);
            if (text.Length >= end + 4 + length)
                return int.Parse(text[9..12]);
        }
    }

    private static async Task<bool> HasEndedAsync(SslStream tls)
    {
        try
        {
            return await tls.ReadAsync(new byte[1]).AsTask().WaitAsync(Eventually.Patience) == 0;
        }
        catch (Exception e) when (e is IOException or SocketException)
        {
            return true;
        }
    }
}
