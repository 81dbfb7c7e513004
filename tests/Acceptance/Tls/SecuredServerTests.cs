using System.Net;
using System.Net.Http.Json;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance.Tls;

/// <summary>The server process over https: certificates that change under load, probes, addresses, large bodies, commands.</summary>
public sealed class SecuredServerTests
{
    [Fact]
    public async Task While_64_clients_write_the_certificate_is_replaced_again_and_again_and_no_request_fails()
    {
        await using var server = await SecuredServer.StartAsync();
        await server.CreateAsync("Shop");
        using var mine = server.Authority.Issue("writer");
        await server.AddAsync("writer", mine, "ValidUser", ("Shop", "ReadWrite"));
        using var enough = new CancellationTokenSource();
        var seen = new System.Collections.Concurrent.ConcurrentDictionary<string, bool>();
        var written = 0;
        var writers = Enumerable.Range(0, 64).Select(WriteAsync).ToArray();
        await Eventually.IsAsync(() => Volatile.Read(ref written) > 64);
        for (var i = 0; i < 5; i++)
        {
            using var next = server.Authority.Issue("localhost");
            // Torn first, as a copy that takes its time would leave it.
            var whole = next.Export(X509ContentType.Pfx);
            server.Authority.Write("server.pfx", whole[..(whole.Length / 2)]);
            await Task.Delay(50);
            server.Authority.Write("server.pfx", whole);
            await Eventually.IsAsync(() => seen.ContainsKey(next.Thumbprint));
        }
        await enough.CancelAsync();
        await Task.WhenAll(writers);
        Assert.True(seen.Count >= 5, $"{seen.Count} certificates");
        using var reader = server.Client(mine);
        using var statistics = await reader.GetAsync("/databases/Shop/stats");
        Assert.Equal(written, (await statistics.Content.ReadFromJsonAsync<JsonElement>()).GetProperty("CountOfDocuments").GetInt32());

        async Task WriteAsync(int writer)
        {
            while (!enough.IsCancellationRequested)
            {
                // Some keep their connection, others make one for each ten requests.
                using var handler = server.Handler(mine);
                var trusted = handler.SslOptions.CertificateChainPolicy!;
                handler.SslOptions.RemoteCertificateValidationCallback = (_, presented, chain, errors) =>
                {
                    seen[((X509Certificate2)presented!).Thumbprint] = true;
                    return errors == System.Net.Security.SslPolicyErrors.None;
                };
                using var client = new HttpClient(handler) { BaseAddress = new Uri(server.Url) };
                for (var i = 0; i < (writer % 2 == 0 ? 10 : 200) && !enough.IsCancellationRequested; i++)
                {
                    var id = $"things/{writer}-{Guid.NewGuid():N}";
                    await SecuredServer.SucceedAsync(client.PutAsync($"/databases/Shop/docs?id={id}", new StringContent("{}")));
                    Interlocked.Increment(ref written);
                }
            }
        }
    }

    [Fact]
    public async Task A_file_that_does_not_open_is_an_alert_that_ends_with_one_that_does()
    {
        await using var server = await SecuredServer.StartAsync();
        // One that stays: the server's own is an administrator's only as long as the server has it.
        using var certificate = server.Authority.Issue("administrator");
        await server.AddAsync("administrator", certificate, "ClusterAdmin");
        using var administrator = server.Client(certificate);
        server.Authority.Write("server.pfx", "nonsense");
        await Eventually.IsAsync(async () => (await AlertsAsync()).Contains("tls/certificate"));
        using var next = server.Authority.Issue("localhost");
        server.Authority.Write("server.pfx", next.Export(X509ContentType.Pfx));
        await Eventually.IsAsync(async () => !(await AlertsAsync()).Contains("tls/certificate"));

        async Task<string[]> AlertsAsync() =>
            [
                .. (await administrator.GetFromJsonAsync<JsonElement>("/alerts"))
                    .GetProperty("Alerts")
                    .EnumerateArray()
                    .Select(alert => alert.GetProperty("Source").GetString()!),
            ];
    }

    [Fact]
    public async Task Probes_need_no_certificate_and_learn_the_status_alone()
    {
        await using var server = await SecuredServer.StartAsync();
        await server.CreateAsync("Secret");
        using var probe = server.Client(null);
        Assert.Equal("""{"Status":"Live"}""", await probe.GetStringAsync("/health/live"));
        Assert.Equal("""{"Status":"Ready"}""", await probe.GetStringAsync("/health/ready"));
        foreach (var path in (string[])["/alerts", "/databases", "/metrics", "/topology?name=Secret", "/databases/Secret/healthcheck"])
        {
            using var answer = await probe.GetAsync(path);
            Assert.Equal(HttpStatusCode.Forbidden, answer.StatusCode);
        }
    }

    [Fact]
    public async Task Alerts_of_databases_are_shown_to_those_who_may_read_them_and_those_of_the_server_to_operators()
    {
        await using var server = await SecuredServer.StartAsync();
        await server.CreateAsync("Shop");
        await server.CreateAsync("Other");
        using var reader = server.Authority.Issue("reader");
        await server.AddAsync("reader", reader, "ValidUser", ("Shop", "Read"));
        using var client = server.Client(reader);
        foreach (var database in (string[])["Shop", "Other"])
        {
            // A paused task is an alert.
            var connection =
                """{"Name":"Hook","BrokerType":"None","WebhookConnectionSettings":{"Url":"http://127.0.0.1:9/"},"Type":"Queue"}""";
            await SecuredServer.SucceedAsync(
                server.Administrator.PutAsync($"/databases/{database}/admin/connection-strings", new StringContent(connection))
            );
            var task =
                """{"Name":"Out","EtlType":"Queue","BrokerType":"None","ConnectionStringName":"Hook","Queues":[],"Transforms":[{"Name":"All","Collections":["Orders"],"Script":"loadToOrders({})"}]}""";
            using var made = await server.Administrator.PutAsync($"/databases/{database}/admin/etl", new StringContent(task));
            var id = (await made.Content.ReadFromJsonAsync<JsonElement>()).GetProperty("TaskId").GetInt64();
            await SecuredServer.SucceedAsync(server.Administrator.PostAsync($"/databases/{database}/etl/pause?id={id}", null));
        }
        Assert.Equal(["Shop"], await DatabasesAsync(client));
        Assert.Equal(["", "Other", "Shop"], await DatabasesAsync(server.Administrator));

        static async Task<string[]> DatabasesAsync(HttpClient client) =>
            [
                .. (await client.GetFromJsonAsync<JsonElement>("/alerts"))
                    .GetProperty("Alerts")
                    .EnumerateArray()
                    .Select(alert => alert.GetProperty("Database").GetString() ?? "")
                    .Distinct()
                    .Order(StringComparer.Ordinal),
            ];
    }

    [Fact]
    public async Task Addresses_and_the_certificate_that_clients_are_told_are_those_of_https()
    {
        await using var server = await SecuredServer.StartAsync();
        await server.CreateAsync("Shop");
        Assert.Matches(@"^https://localhost:\d+$", server.Url);
        var topology = await server.Administrator.GetFromJsonAsync<JsonElement>("/topology?name=Shop");
        Assert.Equal(server.Url, topology.GetProperty("Nodes")[0].GetProperty("Url").GetString());
        foreach (var path in (string[])["/info/tcp", "/databases/Shop/info/tcp", "/cluster/node-info"])
        {
            var told = await server.Administrator.GetFromJsonAsync<JsonElement>(path);
            Assert.Equal(server.Own.RawData, told.GetProperty("Certificate").GetBytesFromBase64());
        }
    }

    [Fact]
    public async Task A_document_of_many_megabytes_goes_there_and_back()
    {
        await using var server = await SecuredServer.StartAsync();
        await server.CreateAsync("Shop");
        var text = Convert.ToHexString(RandomNumberGenerator.GetBytes(16 * 1024 * 1024));
        await SecuredServer.SucceedAsync(
            server.Administrator.PutAsync("/databases/Shop/docs?id=large", new StringContent($$"""{"Text":"{{text}}"}"""))
        );
        var back = await server.Administrator.GetFromJsonAsync<JsonElement>("/databases/Shop/docs?id=large");
        Assert.Equal(text, back.GetProperty("Results")[0].GetProperty("Text").GetString());
    }

    [Fact]
    public async Task An_administrator_replaces_the_servers_certificate_and_nobody_else_does()
    {
        await using var server = await SecuredServer.StartAsync();
        using var operatorCertificate = server.Authority.Issue("operator");
        await server.AddAsync("operator", operatorCertificate, "Operator");
        using var @operator = server.Client(operatorCertificate);
        using var next = server.Authority.Issue("localhost");
        var body = new { Certificate = Convert.ToBase64String(next.Export(X509ContentType.Pfx)) };
        using (var refused = await @operator.PostAsJsonAsync("/admin/certificates/replace-cluster-cert", body))
            Assert.Equal(HttpStatusCode.Forbidden, refused.StatusCode);
        await SecuredServer.SucceedAsync(server.Administrator.PostAsJsonAsync("/admin/certificates/replace-cluster-cert", body));
        // The one who asked, with the former certificate, has had the answer before that certificate lost its rights.
        using var client = server.Client(next);
        await Eventually.IsAsync(async () =>
        {
            using var asked = await client.GetAsync("/info/tcp");
            return asked.IsSuccessStatusCode;
        });
        var told = await client.GetFromJsonAsync<JsonElement>("/info/tcp");
        Assert.Equal(next.RawData, told.GetProperty("Certificate").GetBytesFromBase64());
    }

    [Fact]
    public async Task Commands_ask_a_server_over_https_by_its_settings_by_a_certificate_and_by_a_pin()
    {
        await using var server = await SecuredServer.StartAsync();
        await server.CreateAsync("Shop");
        using var certificate = server.Authority.Issue("operator");
        await server.AddAsync("operator", certificate, "Operator");
        var file = server.Write("operator", certificate, "pfx", "secret");
        var pin = "pin:" + Convert.ToBase64String(SHA256.HashData(server.Own.PublicKey.ExportSubjectPublicKeyInfo()));
        string[] asking = ["etl", "status", $"--url={server.Url}"];
        string[] mine = [.. asking, "--certificate", file, "--certificate-password", "secret"];

        // On the server's machine its own certificate is both the client's and the one that the server must present.
        Assert.Equal(0, (await RunAsync([.. asking, $"--Security.Certificate.Path={server.File}"])).Code);
        Assert.Equal(0, (await RunAsync([.. mine, $"--server-pin={pin}"])).Code);
        Assert.Equal(0, (await RunAsync([.. mine, $"--server-pin={server.Own.Thumbprint}"])).Code);
        // Without a pin the machine would have to trust the authority; the answer tells the pin.
        var (code, told) = await RunAsync(mine);
        Assert.Equal(1, code);
        Assert.Contains($"--server-pin={pin}", told);
        (code, told) = await RunAsync([.. mine, $"--server-pin={certificate.Thumbprint}"]);
        Assert.Equal(1, code);
        Assert.Contains("--server-pin names another one", told);
        // Nobody's certificate, and a wrong password.
        (code, told) = await RunAsync([.. asking, $"--server-pin={pin}"]);
        Assert.Equal(1, code);
        Assert.Contains("presented none", told);
        (code, told) = await RunAsync([.. asking, $"--certificate={file}", "--certificate-password=wrong"]);
        Assert.Equal(2, code);
        Assert.Contains("the password (--certificate-password) is wrong", told);

        static async Task<(int Code, string Told)> RunAsync(string[] arguments)
        {
            await using var run = ServerUnderTest.Launch(null, ["--no-defaults", .. arguments]);
            var code = await run.WaitForExitAsync();
            await Eventually.IsAsync(() => (run.Errors + run.Output).Length > 0);
            return (code, run.Errors + run.Output);
        }
    }
}
