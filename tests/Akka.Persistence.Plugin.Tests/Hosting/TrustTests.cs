using System.Security.Cryptography.X509Certificates;
using Akka.Actor;
using Akka.Configuration;
using Akka.Hosting;
using Akka.Persistence;
using Akka.Persistence.Jackdaw;
using Akka.Persistence.Jackdaw.Hosting;
using Jackdaw.Acceptance.Tls;
using Jackdaw.Actors.Tests.Recorders;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;

namespace Jackdaw.Actors.Tests.Hosting;

/// <summary>Actors over https: the server's certificate is one that nobody but tests trusts.</summary>
[Trait("Category", "Slow")]
public sealed class TrustTests : IAsyncLifetime
{
    private const string Database = "Actors";
    private const string Journal = "akka.persistence.journal.jackdaw";
    private SecuredServer _server = null!;
    private string _certificate = "";

    public async Task InitializeAsync()
    {
        _server = await SecuredServer.StartAsync();
        await _server.CreateAsync(Database);
        using var certificate = _server.Authority.Issue("actors");
        await _server.AddAsync("actors", certificate, "ValidUser", (Database, "ReadWrite"));
        _certificate = _server.Write("actors", certificate, "pfx", "secret");
    }

    public async Task DisposeAsync() => await _server.DisposeAsync();

    [Fact]
    public async Task Actors_write_to_the_server_of_a_pin_and_go_on_when_its_certificate_is_renewed_with_its_key()
    {
        var pin = PinOf(_server.Own);
        await using (var host = new ActorHost(Configuration($"server-pin = \"{pin}\"")))
            Assert.Equal(1, (await host.Recorder("one").Ask<Written>(new Write("first"), Eventually.Patience)).Number);

        using var renewed = _server.Authority.Renew(_server.Own);
        await _server.ReplaceAsync(renewed);
        await using var again = new ActorHost(Configuration($"server-pin = \"{pin}\""));
        Assert.Equal(["first"], (await again.RecoverAsync("one")).All);
        Assert.Equal(2, (await again.Recorder("one").Ask<Written>(new Write("second"), Eventually.Patience)).Number);
    }

    [Fact]
    public async Task Actors_wait_for_the_server_of_a_pin_when_another_one_answers_and_the_health_check_says_so()
    {
        using var other = _server.Authority.Issue("localhost");
        await using var host = new ActorHost(Configuration($"server-pin = \"{PinOf(other)}\""));
        PersistenceHealthCheckResult health = default;
        await Eventually.IsAsync(async () =>
        {
            health = await Persistence.Instance.Apply(host.System).CheckJournalHealthAsync(Journal, default);
            return health.Description?.Contains("is not trusted", StringComparison.Ordinal) == true;
        });
        Assert.Equal(PersistenceHealthStatus.Degraded, health.Status);
        Assert.Contains(_server.Own.Thumbprint, health.Description, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Actors_write_to_a_server_that_an_authority_vouches_for()
    {
        await using var host = new ActorHost(Configuration($"server-authority-path = \"{_server.Authority.CertificateFile}\""));
        Assert.Equal(1, (await host.Recorder("one").Ask<Written>(new Write("first"), Eventually.Patience)).Number);
    }

    [Theory]
    [InlineData("server-authority-path = \"/nowhere/authority.pem\"", "/nowhere/authority.pem")]
    [InlineData("server-authority-path = \"/dev/null\"", "which holds no certificate")]
    [InlineData("server-pin = \"pin:secret\"", "ServerPin 'pin:secret' is neither a thumbprint")]
    public async Task A_setting_that_names_no_server_is_told_by_the_health_check(string setting, string message)
    {
        await using var host = new ActorHost(Configuration(setting));
        var health = await Persistence.Instance.Apply(host.System).CheckJournalHealthAsync(Journal, default);
        Assert.Equal(PersistenceHealthStatus.Unhealthy, health.Status);
        Assert.Contains(message, health.Description, StringComparison.Ordinal);
        Assert.Contains(Journal, health.Description, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_host_names_the_server_by_its_options_for_actors_and_for_the_connectivity_check()
    {
        var connection = new JackdawConnection
        {
            Url = _server.Url,
            Database = Database,
            CertificatePath = _certificate,
            CertificatePassword = "secret",
            ServerPin = PinOf(_server.Own),
        };
        using var host = new HostBuilder()
            .ConfigureServices(services =>
                services.AddAkka(
                    "hosted",
                    builder =>
                        builder.WithJackdawPersistence(
                            new JackdawJournalOptions { Connection = connection, AutoInitialize = false },
                            new JackdawSnapshotOptions { Connection = connection, AutoInitialize = false }
                        )
                )
            )
            .Build();
        await host.StartAsync();
        var system = host.Services.GetRequiredService<ActorSystem>();
        var recorder = system.ActorOf(Recorder.For("one"));
        Assert.Equal(1, (await recorder.Ask<Written>(new Write("first"), Eventually.Patience)).Number);

        var context = new AkkaHealthCheckContext(system);
        Assert.Equal(HealthStatus.Healthy, (await new JackdawConnectivityCheck(connection).CheckHealthAsync(context)).Status);
        var byAuthority = connection with { ServerPin = null, ServerAuthorityPath = _server.Authority.CertificateFile };
        Assert.Equal(HealthStatus.Healthy, (await new JackdawConnectivityCheck(byAuthority).CheckHealthAsync(context)).Status);
        using var other = _server.Authority.Issue("localhost");
        var refused = await new JackdawConnectivityCheck(connection with { ServerPin = PinOf(other) }).CheckHealthAsync(context);
        Assert.Equal(HealthStatus.Unhealthy, refused.Status);
        Assert.Contains("the pin of this client names another one", refused.Description, StringComparison.Ordinal);
        refused = await new JackdawConnectivityCheck(connection with { ServerPin = "secret" }).CheckHealthAsync(context);
        Assert.Contains("is neither a thumbprint", refused.Description, StringComparison.Ordinal);
        await host.StopAsync();
    }

    /// <summary>As <c>./run certificates</c> prints it.</summary>
    private static string PinOf(X509Certificate2 certificate) =>
        "pin:" + Convert.ToBase64String(System.Security.Cryptography.SHA256.HashData(certificate.PublicKey.ExportSubjectPublicKeyInfo()));

    private Config Configuration(string trust) =>
        ConfigurationFactory
            .ParseString(
                $$"""
                akka.loglevel = WARNING
                akka.persistence.journal.plugin = "{{Journal}}"
                {{Journal}} {
                  url = "{{_server.Url}}"
                  database = "{{Database}}"
                  certificate-path = "{{_certificate}}"
                  certificate-password = "secret"
                  {{trust}}
                }
                """
            )
            .WithFallback(JackdawPersistence.DefaultConfiguration());
}
