using System.Net;
using System.Net.Http.Json;
using System.Net.WebSockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;

namespace Jackdaw.Acceptance.Certificates;

/// <summary>What becomes of connections that are in the middle of something when their client loses its certificate, as real
/// processes.</summary>
public sealed class OpenConnectionsTests
{
    /// <summary>Less than the minute after which the server looks at all connections in any case.</summary>
    private static readonly TimeSpan s_atOnce = TimeSpan.FromSeconds(40);

    [Fact]
    public async Task A_certificate_that_is_deleted_ends_its_upload_its_download_its_live_read_and_its_socket_and_no_other_clients()
    {
        await using var scene = await OpenAsync();
        using var ops = scene.Client("ops.pfx");
        using var app = scene.Client("app.pfx");
        await FillAsync(ops);
        using var upload = new OpenUpload();
        var uploading = app.PostAsync("/databases/shop/bulk_insert?id=7", upload);
        await upload.SendAsync("""[{"Id":"up/1","Type":"PUT","Document":{}}""");
        await Eventually.IsAsync(async () => await StatusAsync(ops, "/databases/shop/docs?id=up/1&metadataOnly=true") == HttpStatusCode.OK);
        using var download = await app.GetAsync("/databases/shop/streams/docs", HttpCompletionOption.ResponseHeadersRead);
        await using var documents = await download.Content.ReadAsStreamAsync();
        Assert.True(await documents.ReadAsync(new byte[1024]) > 0);
        using var live = await app.GetAsync("/databases/shop/events/live", HttpCompletionOption.ResponseHeadersRead);
        await using var events = await live.Content.ReadAsStreamAsync();
        using var socket = await SocketAsync(scene, "app.pfx");
        using var others = await SocketAsync(scene, "ops.pfx");

        (await ops.DeleteAsync($"/admin/certificates?thumbprint={Thumbprint(scene, "app.pfx")}")).EnsureSuccessStatusCode();

        await EndsAsync(() => ReadToEndAsync(documents));
        await EndsAsync(() => ReadToEndAsync(events));
        await EndsAsync(() => HearToEndAsync(socket));
        // What came after the deletion is nowhere, and nothing of the server's is held by what was cut.
        await upload.TrySendAsync(""",{"Id":"up/2","Type":"PUT","Document":{}}]""");
        await EndsAsync(() => uploading);
        Assert.Equal(HttpStatusCode.Forbidden, await StatusAsync(app, "/databases/shop/stats"));
        Assert.Equal(HttpStatusCode.NotFound, await StatusAsync(ops, "/databases/shop/docs?id=up/2&metadataOnly=true"));
        await Eventually.IsAsync(async () =>
            (await ops.GetStringAsync("/databases/shop/operations/state?id=7")).Contains("\"Faulted\"", StringComparison.Ordinal)
        );
        await others.SendAsync("""{"CommandId":1,"Command":"watch-docs"}"""u8.ToArray(), WebSocketMessageType.Text, true, default);
        Assert.Contains("\"CommandId\":1", await HearAsync(others), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_certificate_that_expires_is_refused_on_the_connection_that_it_has_and_on_a_new_one()
    {
        await using var scene = await OpenAsync();
        var expires = DateTimeOffset.UtcNow.AddSeconds(6);
        using (var key = ECDsa.Create(ECCurve.NamedCurves.nistP256))
        using (var made = new CertificateRequest("CN=brief", key, HashAlgorithmName.SHA256).CreateSelfSigned(expires.AddDays(-1), expires))
            await File.WriteAllBytesAsync(scene.PathOf("brief.pfx"), made.Export(X509ContentType.Pkcs12));
        await scene.DoAsync("add", "brief.pfx", "--name", "brief", "--database", "shop=Read");
        using var brief = scene.Client("brief.pfx");

        Assert.Equal(HttpStatusCode.OK, await StatusAsync(brief, "/databases/shop/stats"));
        await Eventually.IsAsync(async () => await StatusAsync(brief, "/databases/shop/stats") == HttpStatusCode.Forbidden);

        Assert.True(DateTimeOffset.UtcNow >= expires.AddSeconds(-1));
        Assert.Equal(HttpStatusCode.Forbidden, await scene.StatusAsync("brief.pfx", "/databases/shop/stats"));
    }

    [Fact]
    public async Task Of_two_administrators_who_delete_each_other_one_remains_and_can_go_on()
    {
        await using var scene = await OpenAsync();
        for (var round = 0; round < 2; round++)
        {
            foreach (var name in (string[])["one", "two"])
                await scene.DoAsync("admin", "--name", $"{name}{round}", "--out", $"{name}{round}");
            using var one = scene.Client($"one{round}.pfx");
            using var two = scene.Client($"two{round}.pfx");
            // Both connections are there, so that the requests meet.
            Assert.Equal(HttpStatusCode.OK, await StatusAsync(one, "/databases"));
            Assert.Equal(HttpStatusCode.OK, await StatusAsync(two, "/databases"));

            await Task.WhenAll(
                TryAsync(() => one.DeleteAsync($"/admin/certificates?thumbprint={Thumbprint(scene, $"two{round}.pfx")}")),
                TryAsync(() => two.DeleteAsync($"/admin/certificates?thumbprint={Thumbprint(scene, $"one{round}.pfx")}"))
            );

            var remaining = new[]
            {
                await scene.StatusAsync($"one{round}.pfx", "/admin/certificates"),
                await scene.StatusAsync($"two{round}.pfx", "/admin/certificates"),
            };
            Assert.Equal([HttpStatusCode.OK, HttpStatusCode.Forbidden], remaining.Order());
        }
    }

    private static async Task<SecuredServer> OpenAsync()
    {
        var scene = new SecuredServer();
        await scene.DoAsync("admin", "--name", "ops", "--out", "ops");
        await scene.DoAsync("client", "--name", "app", "--out", "app", "--database", "shop=ReadWrite");
        await scene.StartAsync();
        using var ops = scene.Client("ops.pfx");
        (await ops.PutAsync("/admin/databases?name=shop", JsonContent.Create(new { DatabaseName = "shop" }))).EnsureSuccessStatusCode();
        return scene;
    }

    /// <summary>More than connections take that nobody reads.</summary>
    private static async Task FillAsync(HttpClient client)
    {
        var text = new string('x', 100_000);
        var lines = Enumerable.Range(0, 500).Select(i => $"{{\"Id\":\"large/{i}\",\"Type\":\"PUT\",\"Document\":{{\"Text\":\"{text}\"}}}}");
        (
            await client.PostAsync("/databases/shop/bulk_insert", new StringContent($"[{string.Join(',', lines)}]"))
        ).EnsureSuccessStatusCode();
    }

    private static async Task<HttpStatusCode> StatusAsync(HttpClient client, string path)
    {
        using var answer = await client.GetAsync(path);
        return answer.StatusCode;
    }

    private static string Thumbprint(SecuredServer scene, string pfx)
    {
        using var certificate = X509CertificateLoader.LoadPkcs12FromFile(scene.PathOf(pfx), null);
        return certificate.Thumbprint;
    }

    private static async Task<ClientWebSocket> SocketAsync(SecuredServer scene, string pfx)
    {
        var socket = new ClientWebSocket();
        socket.Options.ClientCertificates.Add(X509CertificateLoader.LoadPkcs12FromFile(scene.PathOf(pfx), null));
        socket.Options.RemoteCertificateValidationCallback = (_, theirs, _, _) => theirs is not null;
        await socket.ConnectAsync(new Uri($"{scene.Url.Replace("https", "wss")}/databases/shop/changes"), default);
        Assert.Contains("TopologyChange", await HearAsync(socket), StringComparison.Ordinal);
        return socket;
    }

    private static async Task<string> HearAsync(ClientWebSocket socket)
    {
        var buffer = new byte[4096];
        var part = await socket.ReceiveAsync(buffer.AsMemory(), default).AsTask().WaitAsync(Eventually.Patience);
        return Encoding.UTF8.GetString(buffer, 0, part.Count);
    }

    private static async Task HearToEndAsync(ClientWebSocket socket)
    {
        while (socket.State == WebSocketState.Open)
            await HearAsync(socket);
        throw new IOException("The socket was closed.");
    }

    private static async Task ReadToEndAsync(Stream stream)
    {
        var buffer = new byte[65536];
        while (await stream.ReadAsync(buffer) > 0) { }
        throw new IOException("The answer has ended.");
    }

    /// <summary>Waits until a connection is broken; fails when what it does ends well, or goes on.</summary>
    private static async Task EndsAsync(Func<Task> use)
    {
        var broken = await Record.ExceptionAsync(() => use().WaitAsync(s_atOnce));
        Assert.True(broken is IOException or HttpRequestException or WebSocketException or OperationCanceledException, $"{broken}");
    }

    private static async Task TryAsync(Func<Task<HttpResponseMessage>> send)
    {
        try
        {
            using var answer = await send();
        }
        catch (HttpRequestException)
        {
            // Its connection was ended.
        }
    }

    /// <summary>A body that goes on as long as the test likes.</summary>
    private sealed class OpenUpload : HttpContent
    {
        private readonly TaskCompletionSource<Stream> _begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public async Task SendAsync(string text)
        {
            var stream = await _begun.Task.WaitAsync(Eventually.Patience);
            await stream.WriteAsync(Encoding.UTF8.GetBytes(text));
            await stream.FlushAsync();
        }

        /// <summary>As long as there is somebody to send to; ends the body.</summary>
        public async Task TrySendAsync(string text)
        {
            try
            {
                await SendAsync(text);
            }
            catch (Exception e) when (e is IOException or ObjectDisposedException or InvalidOperationException)
            {
                // The connection is no more.
            }
            _ended.TrySetResult();
        }

        protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context)
        {
            _begun.TrySetResult(stream);
            return _ended.Task;
        }

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }
    }
}
