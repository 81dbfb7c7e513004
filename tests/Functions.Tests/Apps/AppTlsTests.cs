using System.Net.Http.Json;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text.Json;
using System.Text.Json.Nodes;
using Jackdaw.Acceptance.Tls;
using Jackdaw.Functions.Tests.Queues;

namespace Jackdaw.Functions.Tests.Apps;

/// <summary>The function app over TLS against the real server: who it is there, and whom it talks to.</summary>
[Trait("Category", "Slow")]
public sealed class AppTlsTests : IAsyncLifetime
{
    private SecuredServer _server = null!;
    private X509Certificate2 _client = null!;

    [Fact]
    public async Task With_its_certificate_and_the_pin_messages_are_applied()
    {
        await using var app = await StartAsync(_client, Pin(_server.Own));
        Assert.Empty(await app.DeadLettersAsync("OrdersFromQueue", await MessageAsync()));
        using var stored = await _server.Administrator.GetAsync(new Uri("/databases/views/docs?id=summaries/orders/1", UriKind.Relative));
        Assert.True(stored.IsSuccessStatusCode);
    }

    [Fact]
    public async Task Another_server_than_the_pinned_one_gets_nothing()
    {
        using var other = _server.Authority.Issue("localhost");
        await using var app = await StartAsync(_client, Pin(other));
        await WaitsAsync(app, "The SSL connection could not be established");
    }

    [Fact]
    public async Task Without_a_pin_the_machine_must_trust_the_server()
    {
        await using var app = await StartAsync(_client, pin: "");
        await WaitsAsync(app, "The SSL connection could not be established");
    }

    /// <summary>No message is to blame for a missing right: it waits, and the log says why.</summary>
    [Fact]
    public async Task A_certificate_without_rights_is_waited_for()
    {
        using var unknown = _server.Authority.Issue("stranger");
        await using var app = await StartAsync(unknown, Pin(_server.Own));
        await WaitsAsync(app, "answered 403");
    }

    public async Task InitializeAsync()
    {
        _server = await SecuredServer.StartAsync();
        await _server.CreateAsync("shop");
        await _server.CreateAsync("views");
        _client = _server.Authority.Issue("functions");
        await _server.AddAsync("functions", _client, "ValidUser", ("shop", "Read"), ("views", "ReadWrite"));
    }

    public async Task DisposeAsync()
    {
        _client.Dispose();
        await _server.DisposeAsync();
    }

    private static string Pin(X509Certificate2 certificate) =>
        "pin:" + Convert.ToBase64String(SHA256.HashData(certificate.PublicKey.ExportSubjectPublicKeyInfo()));

    private Task<FunctionAppUnderTest> StartAsync(X509Certificate2 certificate, string pin) =>
        FunctionAppUnderTest.StartAsync(
            FunctionAppUnderTest.Settings(
                _server.Url,
                ("Jackdaw__ClientCertificate", Convert.ToBase64String(certificate.Export(X509ContentType.Pfx))),
                ("Jackdaw__ServerPin", pin)
            )
        );

    /// <summary>A message waits, and the log says why; when the app stops, the host has it again.</summary>
    private async Task WaitsAsync(FunctionAppUnderTest app, string why)
    {
        var handling = app.InvokeAsync("OrdersFromQueue", await MessageAsync());
        await Eventually.IsAsync(() => app.Output.Contains(why, StringComparison.Ordinal));
        Assert.False(handling.IsCompleted);
        await app.TerminateAsync();
        Assert.Equal(503, (await handling).Status);
    }

    private async Task<string> MessageAsync()
    {
        var stats = await _server.Administrator.GetFromJsonAsync<JsonElement>("/databases/shop/stats");
        return Letters.Base64(
            new JsonObject
            {
                ["specversion"] = "1.0",
                ["id"] = "1",
                ["source"] = "x",
                ["type"] = "ravendb.etl.put",
                ["subject"] = "orders/1",
                ["databaseid"] = stats.GetProperty("DatabaseId").GetString(),
                ["etag"] = "1",
                ["data"] = new JsonObject { ["Company"] = "companies/1" },
            }.ToJsonString()
        );
    }
}
