using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Jackdaw.Brokers;
using Jackdaw.Etl.RabbitMq;
using Jackdaw.Etl.Sinks;
using Xunit;

namespace Jackdaw.Etl.Tests.RabbitMq;

/// <summary>A broker that wants to see who connects: client certificates over TLS, with a user and a password or without.</summary>
[Collection(RabbitCollection.Name)]
[Trait("Category", "Slow")]
public class RabbitMqCertificateTests(RabbitFixture fixture)
{
    private const string Password = "of the key";

    /// <summary>The broker's user; the certificate's common name.</summary>
    private const string User = "guest";

    /// <summary>In what form a certificate and its key lie in files.</summary>
    public enum Form
    {
        TwoFiles,
        OneEncryptedFile,
        Pfx,
    }

    private RabbitMqSettings Settings(RabbitScene test) =>
        new()
        {
            ConnectionString = $"amqps://localhost:{test.Broker.TlsPort}/",
            CertificateAuthorityFile = fixture.Authority.CertificateFile,
            AuthMechanism = RabbitMqAuthMechanism.External,
        };

    private static RabbitMqSettings Showing(
        RabbitMqSettings settings,
        TestAuthority authority,
        Form form = Form.TwoFiles,
        string name = User
    )
    {
        if (form == Form.TwoFiles)
        {
            var (file, key) = authority.IssueFiles(name);
            return settings with { ClientCertificateFile = file, ClientCertificateKeyFile = key };
        }
        using var certificate = authority.Issue(name);
        using var privateKey = certificate.GetECDsaPrivateKey()!;
        string only =
            form == Form.Pfx
                ? authority.Write("client.pfx", certificate.Export(X509ContentType.Pfx, Password))
                : authority.Write(
                    "client.pem",
                    $"{certificate.ExportCertificatePem()}\n{privateKey.ExportEncryptedPkcs8PrivateKeyPem(Password, new PbeParameters(PbeEncryptionAlgorithm.Aes256Cbc, HashAlgorithmName.SHA256, 1000))}\n"
                );
        return settings with { ClientCertificateFile = only, ClientCertificatePassword = Password };
    }

    [BrokerTheory(BrokerKind.RabbitMq)]
    [InlineData(Form.TwoFiles)]
    [InlineData(Form.OneEncryptedFile)]
    [InlineData(Form.Pfx)]
    public async Task A_certificate_that_the_broker_trusts_lets_a_task_in_without_a_password(Form form)
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        await test.PutAsync(0, 3);
        await test.StartAsync(settings: Showing(Settings(test), fixture.Authority, form));
        test.RunToIdle();
        Assert.Equal(0, RabbitOracle.Check(await test.Peer.TakeAsync(test.Target), 3));
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task A_user_with_a_password_may_have_to_show_a_certificate_too()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        await test.PutAsync(0, 3);
        var settings = Settings(test) with
        {
            AuthMechanism = RabbitMqAuthMechanism.Plain,
            ConnectionString = $"amqps://guest:guest@localhost:{test.Broker.TlsPort}/",
        };
        await test.StartAsync(settings: settings);
        test.RunUntil(EtlTaskState.Stopped);
        Assert.Contains("or wants to see one", test.Reason, StringComparison.Ordinal);
        await test.StartAsync(settings: Showing(settings, fixture.Authority, name: "anybody"));
        test.RunToIdle();
        Assert.Equal(0, RabbitOracle.Check(await test.Peer.TakeAsync(test.Target), 3));
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task A_certificate_that_the_broker_does_not_trust_or_whose_user_it_does_not_know_stops_the_task()
    {
        using var stranger = new TestAuthority();
        await using var test = await RabbitScene.OpenAsync(fixture);
        await test.PutAsync(0, 1);
        await test.StartAsync(settings: Showing(Settings(test), stranger));
        test.RunUntil(EtlTaskState.Stopped);
        Assert.Contains("does not trust the client's certificate", test.Reason, StringComparison.Ordinal);
        await test.StartAsync(settings: Showing(Settings(test), fixture.Authority, name: "nobody"));
        test.RunUntil(EtlTaskState.Stopped);
        Assert.Contains("refuses the client's certificate", test.Reason, StringComparison.Ordinal);
        Assert.DoesNotContain("guest", test.Reason, StringComparison.Ordinal);
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task Certificates_are_held_as_long_as_their_connection_and_no_longer()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        var settings = Showing(Settings(test), fixture.Authority);
        var loaded = new List<RabbitMqTls>();
        RabbitMqTls Load(RabbitMqSettings valid)
        {
            loaded.Add(new RabbitMqTls(valid));
            return loaded[^1];
        }
        RabbitMqSink Sink(RabbitMqSettings settings) => new(settings, new RabbitMqOptions(), "test") { LoadTls = Load };
        // The authority's and the one that is shown; none of those that were disposed of.
        int Held() => loaded.Sum(tls => tls.Certificates.Count(certificate => certificate.Handle != IntPtr.Zero));
        await using (var away = Sink(settings with { ConnectionString = "amqps://localhost:1/" }))
        {
            for (int attempt = 0; attempt < 2; attempt++)
                await Assert.ThrowsAsync<SinkException>(() => away.OpenAsync(CancellationToken.None));
        }
        await using (var stranger = Sink(Showing(Settings(test), fixture.Authority, name: "nobody")))
            await Assert.ThrowsAsync<SinkException>(() => stranger.OpenAsync(CancellationToken.None));
        Assert.Equal((3, 0), (loaded.Count, Held()));
        await using (var sink = Sink(settings))
        {
            await sink.OpenAsync(CancellationToken.None);
            Assert.Equal((4, 2), (loaded.Count, Held()));
        }
        Assert.Equal(0, Held());
    }

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task A_certificate_that_is_gone_when_it_is_needed_again_stops_the_task_and_a_new_one_in_its_place_is_taken()
    {
        await using var test = await RabbitScene.OpenAsync(fixture);
        await test.PutAsync(0, 1);
        var settings = Showing(Settings(test), fixture.Authority);
        await test.StartAsync(settings: settings);
        string kept = settings.ClientCertificateFile + ".kept";
        File.Move(settings.ClientCertificateFile!, kept);
        test.RunUntil(EtlTaskState.Stopped);
        Assert.Contains($"ClientCertificateFile '{settings.ClientCertificateFile}'", test.Reason, StringComparison.Ordinal);
        File.Move(kept, settings.ClientCertificateFile!);
        test.Scene.Task.Resume();
        test.RunToIdle();
        Assert.Equal(0, RabbitOracle.Check(await test.Peer.TakeAsync(test.Target), 1));
    }
}
