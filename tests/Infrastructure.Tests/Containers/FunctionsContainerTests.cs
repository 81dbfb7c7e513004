using System.Diagnostics;
using System.Net;
using System.Security.Cryptography.X509Certificates;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;
using Jackdaw.Brokers;
using Jackdaw.Infrastructure.Processes;

namespace Jackdaw.Infrastructure.Containers;

/// <summary>The functions of compose.yaml without containers: the app published as the image has it, the scripts of the image, the
/// settings of the compose file, TLS with the certificates that it makes. Only the Functions host is a stand-in.</summary>
[Trait("Category", "Slow")]
public sealed class FunctionsContainerTests : IDisposable
{
    private static readonly TimeSpan s_stop = TimeSpan.FromSeconds(30);

    private readonly Folder _folder = new();

    public void Dispose() => _folder.Dispose();

    [BrokerFact(BrokerKind.Azurite)]
    public async Task An_order_and_an_event_reach_the_read_model_over_TLS_with_the_settings_of_the_compose_file()
    {
        await PublishAsync();
        await Command.MustAsync(Checkout.At("infra", "container", "make-certificates"), [_folder.At("certificates"), "functions"]);
        await using var azurite = await AzuriteBroker.StartAsync();
        await using var server = await ServerUnderTest.StartAsync(
            _folder.Path,
            [
                "--no-defaults",
                "--ServerUrl=https://127.0.0.1:0",
                $"--Security.Certificate.Path={_folder.At("certificates", "server.pfx")}",
                $"--DataDir={_folder.At("data")}",
            ]
        );
        // As often as the services are started.
        await ConnectAsync(server, azurite);
        await ConnectAsync(server, azurite);
        using var client = Client();
        var tasks = await client.GetStringAsync(new Uri($"{server.Url}/databases/shop/etl/tasks"));
        Assert.Equal(2, JsonDocument.Parse(tasks).RootElement.GetProperty("Tasks").GetArrayLength());

        await SendAsync(
            client,
            HttpMethod.Put,
            $"{server.Url}/databases/shop/docs?id=orders/1",
            """{"Company":"companies/1","Lines":[{"PricePerUnit":4,"Quantity":3}],"@metadata":{"@collection":"Orders"}}"""
        );
        await SendAsync(
            client,
            HttpMethod.Post,
            $"{server.Url}/databases/shop/events",
            """{"groups":[{"stream":"account-1","expectedLast":0,"events":[{"payload":{"deposited":10}}]}]}"""
        );
        using var host = await StartHostAsync(server, azurite);
        try
        {
            await Eventually.IsAsync(async () =>
                await HasAsync(client, $"{server.Url}/databases/views/docs?id=summaries/orders/1", "\"Total\":12")
                && await HasAsync(client, $"{server.Url}/databases/views/docs?startsWith=balances/", "\"Balance\":10")
            );
        }
        catch (TimeoutException)
        {
            host.Kill(entireProcessTree: true);
            Assert.Fail($"The functions did not write. The host said:\n{await host.StandardOutput.ReadToEndAsync()}");
        }
        await Command.MustAsync("kill", ["-TERM", $"{host.Id}"]);
        await host.WaitForExitAsync().WaitAsync(s_stop);
    }

    /// <summary>As functions/Dockerfile does, in folders of its own: a build for one kind of machine would stay in the
    /// checkout.</summary>
    private Task<string> PublishAsync() =>
        Command.MustAsync(
            "dotnet",
            [
                "publish",
                Checkout.At("functions", "CustomHandler"),
                "--configuration",
                "Release",
                "--runtime",
                $"linux-{System.Runtime.InteropServices.RuntimeInformation.OSArchitecture}".ToLowerInvariant(),
                "--self-contained",
                "--artifacts-path",
                _folder.At("artifacts"),
                "--output",
                _folder.At("app"),
                "-v",
                "q",
                "--nologo",
            ]
        );

    private async Task ConnectAsync(ServerUnderTest server, AzuriteBroker azurite)
    {
        var output = await Command.MustAsync(
            Checkout.At("infra", "container", "connect-functions"),
            [server.Url],
            new Dictionary<string, string>
            {
                ["STORAGE"] = azurite.ConnectionString,
                ["CERTIFICATES"] = _folder.At("certificates"),
                ["SERVER_PROGRAM"] = Path.ChangeExtension(Checkout.ServerAssembly, null),
            }
        );
        Assert.Contains("The functions are connected", output, StringComparison.Ordinal);
    }

    /// <summary>What the compose file hands to the functions, with the addresses of this test.</summary>
    private async Task<Process> StartHostAsync(ServerUnderTest server, AzuriteBroker azurite)
    {
        var compose = await Command.MustAsync(
            "node",
            [
                "--input-type=module",
                "--eval",
                """
                import fs from "node:fs";
                import { parse } from "yaml";
                const { "x-storage": storage, services } = parse(fs.readFileSync(process.argv[1], "utf8"));
                console.log(JSON.stringify({ storage, environment: services.functions.environment }));
                """,
                Checkout.At("compose.yaml"),
            ],
            folder: Checkout.At("infra", "checks")
        );
        using var read = JsonDocument.Parse(compose);
        var storage = read.RootElement.GetProperty("storage").GetString()!;
        var start = new ProcessStartInfo(
            Checkout.At("infra", "container", "functions-host"),
            [
                "dotnet",
                Checkout.At("tests", "FunctionHost", "bin", "Release", "net10.0", "Jackdaw.FunctionHost.dll"),
                "--app",
                _folder.At("app"),
            ]
        )
        {
            RedirectStandardOutput = true,
        };
        foreach (var setting in read.RootElement.GetProperty("environment").EnumerateObject())
            start.Environment[setting.Name] = setting
                .Value.GetString()!
                .Replace(storage, azurite.ConnectionString, StringComparison.Ordinal)
                .Replace("https://server:8443", server.Url, StringComparison.Ordinal);
        start.Environment["CERTIFICATES"] = Directory.CreateDirectory(_folder.At("functions")).FullName;
        // The functions see these and nothing else of the certificates.
        foreach (var file in new[] { "functions.pfx", "server.pin" })
            File.Copy(_folder.At("certificates", file), _folder.At("functions", file));
        return Process.Start(start)!;
    }

    /// <summary>Shows the server's own certificate.</summary>
    private HttpClient Client()
    {
        var certificate = X509CertificateLoader.LoadPkcs12FromFile(_folder.At("certificates", "server.pfx"), null);
        return new HttpClient(
            new SocketsHttpHandler
            {
                SslOptions =
                {
                    ClientCertificates = [certificate],
                    RemoteCertificateValidationCallback = (_, presented, _, _) =>
                        presented is not null && presented.GetRawCertData().AsSpan().SequenceEqual(certificate.RawData),
                },
            }
        )
        {
            Timeout = Eventually.Patience,
        };
    }

    private static async Task SendAsync(HttpClient client, HttpMethod method, string url, string body)
    {
        using var request = new HttpRequestMessage(method, url) { Content = new StringContent(body) };
        using var answer = await client.SendAsync(request);
        Assert.True(answer.IsSuccessStatusCode, $"{method} {url}: {(int)answer.StatusCode} {await answer.Content.ReadAsStringAsync()}");
    }

    private static async Task<bool> HasAsync(HttpClient client, string url, string text)
    {
        using var answer = await client.GetAsync(new Uri(url));
        return answer.StatusCode == HttpStatusCode.OK
            && (await answer.Content.ReadAsStringAsync()).Contains(text, StringComparison.Ordinal);
    }
}
