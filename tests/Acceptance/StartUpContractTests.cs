using System.Diagnostics;
using System.Net;
using System.Net.Http.Json;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance;

/// <summary>What starts the server, and what it starts with, tells and ends by.</summary>
public sealed class StartUpContractTests
{
    [Fact]
    public async Task Whatever_comes_on_standard_input_does_no_harm()
    {
        await using var server = await ServerUnderTest.StartAsync("--RunInMemory=true");
        var noise = new string('\0', 1 << 20);
        for (var i = 0; i < 16; i++)
            await server.WriteAsync(noise);
        await server.WriteLineAsync("");
        await server.WriteLineAsync("shutdown no-confirmation");
        Assert.Equal(0, await server.WaitForExitAsync());
        Assert.True(server.Errors.Length < 10_000, $"{server.Errors.Length:N0} characters of complaints");
    }

    [Fact]
    public async Task The_arguments_of_the_official_driver_start_it_within_five_seconds()
    {
        var file = Path.GetTempFileName();
        await File.WriteAllTextAsync(file, """{ "Logs.Mode": "None", "Indexing.Static.SearchEngineType": "Lucene" }""");
        using var parent = Process.Start("sleep", "600");
        async Task<(ServerUnderTest Server, TimeSpan Took)> StartAsync()
        {
            var clock = Stopwatch.StartNew();
            var started = await ServerUnderTest.StartAsync(
                "--no-defaults",
                "--config-path",
                file,
                "--RunInMemory=true",
                "--License.Eula.Accepted=true",
                "--Setup.Mode=None",
                "--Logs.Mode=None",
                $"--Testing.ParentProcessId={parent.Id}",
                "--ServerUrl=http://127.0.0.1:0",
                "--ServerUrl.Tcp=tcp://127.0.0.1:38884",
                "--Features.Availability=Experimental"
            );
            return (started, clock.Elapsed);
        }
        var (server, took) = await StartAsync();
        // A machine that is busy with something else gets other chances; a server that is slow is slow each time.
        for (var i = 0; i < 10 && took >= TimeSpan.FromSeconds(5); i++)
        {
            await server.DisposeAsync();
            (server, took) = await StartAsync();
        }
        await using var _ = server;
        Assert.True(took < TimeSpan.FromSeconds(5), $"took {took}");
        Assert.Matches(@"^http://127\.0\.0\.1:\d+$", server.Url);
        Assert.DoesNotContain("Warning", server.Errors);
        Assert.False(Directory.Exists(server.DataDirectory));

        parent.Kill();
        await parent.WaitForExitAsync();
        Assert.Equal(0, await server.WaitForExitAsync());
        File.Delete(file);
    }

    [Fact]
    public async Task The_printed_address_is_the_one_that_the_topology_tells()
    {
        await using var server = await ServerUnderTest.StartAsync("--RunInMemory=true");
        using var client = new HttpClient();
        using var created = await client.PutAsync($"{server.Url}/admin/databases?name=db", new StringContent("""{"DatabaseName":"db"}"""));
        created.EnsureSuccessStatusCode();

        using var topology = await client.GetAsync($"{server.Url}/topology?name=db&first-topology-update");
        var told = await topology.Content.ReadFromJsonAsync<JsonElement>();
        Assert.Equal(server.Url, told.GetProperty("Nodes")[0].GetProperty("Url").GetString());
        Assert.StartsWith("7.2.", Assert.Single(topology.Headers.GetValues("Raven-Server-Version")));
        var cluster = await client.GetFromJsonAsync<JsonElement>($"{server.Url}/cluster/topology");
        Assert.Equal(server.Url, cluster.GetProperty("Topology").GetProperty("Members").GetProperty("A").GetString());
    }

    [Fact]
    public async Task The_command_shutdown_ends_it()
    {
        await using var server = await ServerUnderTest.StartAsync("--RunInMemory=true");
        await server.WriteLineAsync("shutdown no-confirmation");
        Assert.Equal(0, await server.WaitForExitAsync());
    }

    [Fact]
    public async Task The_end_of_standard_input_ends_it_only_for_a_parent()
    {
        await using var alone = await ServerUnderTest.StartAsync("--RunInMemory=true");
        await using var child = await ServerUnderTest.StartAsync(
            "--RunInMemory=true",
            $"--Testing.ParentProcessId={Environment.ProcessId}"
        );
        alone.CloseStandardInput();
        child.CloseStandardInput();

        Assert.Equal(0, await child.WaitForExitAsync());
        Assert.False(alone.HasExited);
        using var client = new HttpClient();
        Assert.Equal("OK", (await client.GetAsync($"{alone.Url}/health/ready")).StatusCode.ToString());
    }

    [Fact]
    public async Task A_second_server_on_one_data_folder_is_refused_with_the_process_of_the_first()
    {
        await using var first = await ServerUnderTest.StartAsync();
        await using var second = ServerUnderTest.Launch(first.Folder, []);

        Assert.Equal(1, await second.WaitForExitAsync());
        Assert.Contains($"{first.ProcessId}", second.Errors);
    }

    [Fact]
    public async Task A_misspelt_setting_stops_it_with_the_right_name()
    {
        await using var server = ServerUnderTest.Launch(null, ["--DataDirr=/nowhere"]);

        Assert.Equal(2, await server.WaitForExitAsync());
        Assert.Contains("DataDir", server.Errors);
    }

    [Fact]
    public async Task What_was_written_is_there_after_a_clean_restart()
    {
        var folder = Directory.CreateTempSubdirectory("jackdaw-restart-").FullName;
        using var client = new HttpClient();
        await using (var server = await ServerUnderTest.StartAsync(folder, []))
        {
            (
                await client.PutAsync($"{server.Url}/admin/databases?name=db", new StringContent("""{"DatabaseName":"db"}"""))
            ).EnsureSuccessStatusCode();
            for (var i = 0; i < 100; i++)
                (
                    await client.PutAsync(
                        $"{server.Url}/databases/db/docs?id=things/{i}",
                        new StringContent($"{{\"i\":{i},\"@metadata\":{{\"@collection\":\"Things\"}}}}")
                    )
                ).EnsureSuccessStatusCode();
            Assert.Equal(0, await server.StopAsync());
        }
        await using (var server = await ServerUnderTest.StartAsync(folder, []))
        {
            var statistics = await client.GetFromJsonAsync<JsonElement>($"{server.Url}/databases/db/collections/stats");
            Assert.Equal(100, statistics.GetProperty("Collections").GetProperty("Things").GetInt32());
            var last = await client.GetFromJsonAsync<JsonElement>($"{server.Url}/databases/db/docs?id=things/99");
            Assert.Equal(99, last.GetProperty("Results")[0].GetProperty("i").GetInt32());
        }
        Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public async Task Over_https_only_the_holder_of_the_servers_key_is_let_in_while_no_client_is_known()
    {
        using var key = RSA.Create(2048);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        using var certificate = request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(1));
        using var sameKey = request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-2), DateTimeOffset.UtcNow.AddDays(1));
        using var otherKey = RSA.Create(2048);
        var otherRequest = new CertificateRequest("CN=localhost", otherKey, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        using var other = otherRequest.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-2), DateTimeOffset.UtcNow.AddDays(1));
        var file = Path.GetTempFileName();
        await File.WriteAllBytesAsync(file, certificate.Export(X509ContentType.Pfx, "secret"));
        await using var server = await ServerUnderTest.StartAsync(
            "--no-defaults",
            "--RunInMemory=true",
            "--ServerUrl=https://127.0.0.1:0",
            $"--Security.Certificate.Path={file}",
            "--Security.Certificate.Password=secret"
        );

        Assert.Equal(HttpStatusCode.Forbidden, await StatusAsync(null));
        Assert.Equal(HttpStatusCode.Forbidden, await StatusAsync(other));
        Assert.Equal(HttpStatusCode.OK, await StatusAsync(certificate));
        Assert.Equal(HttpStatusCode.OK, await StatusAsync(sameKey));
        File.Delete(file);

        async Task<HttpStatusCode> StatusAsync(X509Certificate2? mine)
        {
            using var handler = new HttpClientHandler
            {
                ServerCertificateCustomValidationCallback = (_, theirs, _, _) => theirs?.Thumbprint == certificate.Thumbprint,
            };
            if (mine is not null)
                handler.ClientCertificates.Add(mine);
            using var client = new HttpClient(handler);
            using var answer = await client.GetAsync($"{server.Url}/databases");
            return answer.StatusCode;
        }
    }

    [Fact]
    public async Task What_the_engine_does_can_be_looked_at()
    {
        await using var server = await ServerUnderTest.StartAsync();
        using var client = new HttpClient();
        (
            await client.PutAsync($"{server.Url}/admin/databases?name=db", new StringContent("""{"DatabaseName":"db"}"""))
        ).EnsureSuccessStatusCode();
        (await client.PutAsync($"{server.Url}/databases/db/docs?id=a", new StringContent("{}"))).EnsureSuccessStatusCode();

        var storage = await client.GetFromJsonAsync<JsonElement>($"{server.Url}/databases/db/debug/storage");
        Assert.True(storage.GetProperty("JournalRecords").GetInt64() > 0);
        Assert.Contains(
            storage.GetProperty("Io").EnumerateArray(),
            kind =>
                kind.GetProperty("Kind").GetString()!.StartsWith("Journal", StringComparison.Ordinal)
                && kind.GetProperty("Count").GetInt64() > 0
        );
        Assert.Equal(JsonValueKind.Null, storage.GetProperty("Poison").ValueKind);
    }
}
