using System.Diagnostics;
using System.Net;
using System.Net.WebSockets;
using Jackdaw.Infrastructure.Processes;

namespace Jackdaw.Infrastructure.Services;

/// <summary>The published server works where a container or the service of systemd runs it.</summary>
[Trait("Category", "Slow")]
public sealed class PublishedServerTests(PublishedServer published) : IClassFixture<PublishedServer>
{
    /// <summary>What docs/deployment.md and the unit's TimeoutStopSec build on.</summary>
    private static readonly TimeSpan s_longestStop = TimeSpan.FromSeconds(10);

    [SandboxFact]
    public async Task The_server_runs_as_another_user_on_a_read_only_file_system_and_stops_within_ten_seconds_of_SIGTERM_under_clients()
    {
        await using (var server = await SandboxedServer.StartAsync(published))
        {
            Assert.Contains(
                $"Uid:\t{SandboxedServer.UserId}\t",
                await File.ReadAllTextAsync($"/proc/{server.ProcessId}/status"),
                StringComparison.Ordinal
            );
            Assert.Contains(
                "CapBnd:\t0000000000000000",
                await File.ReadAllTextAsync($"/proc/{server.ProcessId}/status"),
                StringComparison.Ordinal
            );
            // What the container's health check asks, without a certificate.
            await Eventually.IsAsync(async () =>
                (
                    await Command.RunAsync(
                        Checkout.At("infra", "container", "health"),
                        [],
                        new Dictionary<string, string> { ["JACKDAW_ServerUrl"] = $"https://0.0.0.0:{server.Url.Port}" }
                    )
                ).ExitCode == 0
            );
            await SendAsync(server, HttpMethod.Put, "/admin/databases?name=shop", """{"DatabaseName":"shop"}""");
            await SendAsync(
                server,
                HttpMethod.Put,
                "/databases/shop/docs?id=orders/1",
                """{"Total":120,"@metadata":{"@collection":"Orders"}}"""
            );
            // Above the size at which a body is staged to a file.
            var large = "{\"Text\":\"" + new string('x', 3 << 20) + "\"}";
            await SendAsync(server, HttpMethod.Put, "/databases/shop/docs?id=large/1", large);
            // Scripts need their library, and memory that is written and then executed.
            await SendAsync(
                server,
                HttpMethod.Patch,
                "/databases/shop/docs?id=orders/1",
                """{"Patch":{"Script":"this.Total = this.Total * 2","Values":{}},"PatchIfMissing":null}"""
            );

            await LetInAsync(server, "shop:ReadWrite");
            await LetInAsync(server, "shop:Read", "other:Admin");
            var let = await server.Client.GetStringAsync(new Uri(server.Url, "/admin/certificates"));
            Assert.Contains("\"shop\":\"Read\"", let, StringComparison.Ordinal);
            Assert.Contains("\"other\":\"Admin\"", let, StringComparison.Ordinal);

            using var upload = new EndlessUpload();
            using var bulkInsert = new HttpClient(server.NewHandler()) { Timeout = Timeout.InfiniteTimeSpan };
            var uploading = bulkInsert.PostAsync(new Uri(server.Url, "/databases/shop/bulk_insert?id=7"), upload);
            await upload.Begun.WaitAsync(Eventually.Patience);
            using var changes = new ClientWebSocket();
            changes.Options.ClientCertificates.Add(server.Certificate);
            changes.Options.RemoteCertificateValidationCallback = (_, presented, _, _) => server.IsTheServer(presented);
            await changes.ConnectAsync(new Uri($"wss://{server.Url.Authority}/databases/shop/changes"), CancellationToken.None);

            var began = Stopwatch.GetTimestamp();
            var (exitCode, errors) = await server.StopAsync();
            var took = Stopwatch.GetElapsedTime(began);

            Assert.True(exitCode == 0, $"The server ended with {exitCode}:\n{errors}");
            Assert.True(took < s_longestStop, $"The server took {took.TotalSeconds:0.0} s to stop:\n{errors}");
            Assert.Contains("Shutting down because of SIGTERM", errors, StringComparison.Ordinal);
            upload.Dispose();
            await Assert.ThrowsAnyAsync<Exception>(() => uploading.WaitAsync(Eventually.Patience));
        }

        await using (var server = await SandboxedServer.StartAsync(published))
        {
            var order = await server.Client.GetStringAsync(new Uri(server.Url, "/databases/shop/docs?id=orders/1"));
            Assert.Contains("\"Total\":240", order, StringComparison.Ordinal);
        }
    }

    private static async Task SendAsync(SandboxedServer server, HttpMethod method, string path, string body)
    {
        using var request = new HttpRequestMessage(method, new Uri(server.Url, path)) { Content = new StringContent(body) };
        using var answer = await server.Client.SendAsync(request);
        Assert.True(answer.IsSuccessStatusCode, $"{method} {path}: {(int)answer.StatusCode} {await answer.Content.ReadAsStringAsync()}");
    }

    /// <summary>Runs the script of the machine that lets the functions' certificate in.</summary>
    private async Task LetInAsync(SandboxedServer server, params string[] rights)
    {
        var certificate = published.At("certificates", "functions.crt");
        var encoded = await Command.MustAsync("sh", ["-c", $"openssl x509 -in '{certificate}' -outform der | base64 -w 0 | tr = ."]);
        Directory.CreateDirectory(published.At("root"));
        if (!Directory.Exists(published.At("root", "current")))
            Directory.CreateSymbolicLink(published.At("root", "current"), published.At("app"));
        await File.WriteAllTextAsync(
            published.At("settings.json"),
            $$"""{"ServerUrl":"https://127.0.0.1:8443","Security.Certificate.Path":"{{published.At("certificates", "server.pfx")}}"}"""
        );
        var output = await Command.MustAsync(
            Checkout.At("infra", "machine", "jackdaw-rights"),
            ["functions", "ValidUser", encoded, .. rights],
            new Dictionary<string, string>
            {
                ["JACKDAW_ROOT"] = published.At("root"),
                ["JACKDAW_SETTINGS"] = published.At("settings.json"),
                ["JACKDAW_LOCAL_URL"] = server.Url.GetLeftPart(UriPartial.Authority),
                ["JACKDAW_USER"] = "root",
            }
        );
        Assert.Contains("Let 'functions' in", output, StringComparison.Ordinal);
    }

    /// <summary>A body that begins and never ends, of which <see cref="Begun"/> tells.</summary>
    private sealed class EndlessUpload : HttpContent
    {
        private readonly TaskCompletionSource _begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Begun => _begun.Task;

        protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context)
        {
            await stream.WriteAsync("["u8.ToArray());
            await stream.FlushAsync();
            _begun.TrySetResult();
            await _ended.Task;
        }

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }

        protected override void Dispose(bool disposing)
        {
            _ended.TrySetCanceled();
            base.Dispose(disposing);
        }
    }
}
