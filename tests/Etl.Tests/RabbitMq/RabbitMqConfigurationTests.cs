using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.Json.Nodes;
using Jackdaw.Brokers;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Messages;
using Jackdaw.Etl.RabbitMq;
using Jackdaw.Scripting;
using Xunit;

namespace Jackdaw.Etl.Tests.RabbitMq;

public class RabbitMqConfigurationTests
{
    private static readonly ScriptEngine s_engine = new();

    private static byte[] Connection(string url) =>
        Encoding.UTF8.GetBytes(
            new JsonObject
            {
                ["Type"] = "Queue",
                ["Name"] = "Rabbit",
                ["BrokerType"] = "RabbitMq",
                ["RabbitMqConnectionSettings"] = new JsonObject { ["ConnectionString"] = url },
            }.ToJsonString()
        );

    private static byte[] Definition(string members = "", string script = "loadToOut(this);") =>
        Encoding.UTF8.GetBytes(
            $$"""{"EtlType":"Queue","BrokerType":"RabbitMq","Name":"Out","ConnectionStringName":"Rabbit",{{members}}"Disabled":true,"Transforms":[{"Name":"T","Collections":["Orders"],"Script":{{JsonValue.Create(script).ToJsonString()}}}]}"""
        );

    [Theory]
    [InlineData("amqp://h", "h", 5672, false, "guest", "guest", "/")]
    [InlineData("amqps://me:p%40ss@broker.example:5000/my%2fhost", "broker.example", 5000, true, "me", "p@ss", "my/host")]
    [InlineData("amqps://me@h/", "h", 5671, true, "me", "guest", "/")]
    [InlineData("amqp://a:b:c@[::1]:7/v?heartbeat=10", "::1", 7, false, "a", "b:c", "v")]
    public void An_address_is_taken_apart(
        string url,
        string host,
        int port,
        bool isSecure,
        string user,
        string password,
        string virtualHost
    )
    {
        var address = new RabbitMqSettings { ConnectionString = url }.Address();
        Assert.Equal(
            (host, port, isSecure, user, password, virtualHost),
            (address.Host, address.Port, address.IsSecure, address.User, address.Password, address.VirtualHost)
        );
        Assert.DoesNotContain(password + "@", address.ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("http://h")]
    [InlineData("amqp:h")]
    [InlineData("amqp://user:hu/sh@h")]
    [InlineData("amqp://user:hush@h/a/b")]
    [InlineData("Endpoint=sb://x;SharedAccessKey=hush")]
    public async Task A_connection_string_that_is_none_is_warned_of_and_not_shown(string url)
    {
        await using var scene = await Scene.OpenAsync();
        await using var tasks = EtlTasks.Open(scene.Database, s_engine, new EtlOptions());
        string? warning = await tasks.PutConnectionAsync(Connection(url));
        Assert.Contains("amqp[s]://user:password@host", warning, StringComparison.Ordinal);
        Assert.DoesNotContain("hu", warning, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("", "loadTo('amq.mine', this)", "begins with 'amq.'")]
    [InlineData("\"RabbitMq\":{\"ExchangeType\":\"Round\"},", "loadToX(this)", "one of Fanout, Direct, Topic, Headers")]
    [InlineData("\"RabbitMq\":{\"MaxLenght\":1},", "loadToX(this)", "unknown member 'MaxLenght'")]
    [InlineData("\"RabbitMq\":{\"MaxLength\":1.5},", "loadToX(this)", "whole number")]
    [InlineData("\"RabbitMq\":{\"DeadLetterExchange\":\"amq.dead\"},", "loadToX(this)", "DeadLetterExchange")]
    [InlineData("\"CloudEventsMode\":\"Odd\",", "loadToX(this)", "one of Binary, Structured")]
    [InlineData("\"RabbitMq\":[],", "loadToX(this)", "must have an object")]
    public async Task A_task_that_cannot_be_is_refused_with_the_reason(string members, string script, string words)
    {
        await using var scene = await Scene.OpenAsync();
        await using var tasks = EtlTasks.Open(scene.Database, s_engine, new EtlOptions());
        await tasks.PutConnectionAsync(Connection("amqp://127.0.0.1:1"));
        var error = await Assert.ThrowsAsync<InvalidConfigurationException>(() => tasks.PutTaskAsync(Definition(members, script), null));
        Assert.Contains(words, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Options_are_read_and_the_protocols_members_stay()
    {
        await using var scene = await Scene.OpenAsync();
        await using var tasks = EtlTasks.Open(scene.Database, s_engine, new EtlOptions());
        await tasks.PutConnectionAsync(Connection("amqp://me:hush@127.0.0.1:1"));
        string members = """
            "SkipAutomaticQueueDeclaration":true,"CloudEventsMode":"structured","Queues":[{"Name":"Out","DeleteProcessedDocuments":false}],"PinToMentorNode":false,
            "RabbitMq":{"exchangeType":"topic","QueueType":"Quorum","DeadLetterExchange":"dead","MaxLength":10,"MaxLengthBytes":20,"Overflow":"DropHead"},
            """;
        long id = await tasks.PutTaskAsync(Definition(members), null);
        var definition = tasks.Find(id)!.Definition;
        Assert.Equal(
            new RabbitMqOptions
            {
                SkipDeclaration = true,
                CloudEventsMode = CloudEventsMode.Structured,
                ExchangeType = RabbitMqExchangeType.Topic,
                QueueType = RabbitMqQueueType.Quorum,
                DeadLetterExchange = "dead",
                MaxLength = 10,
                MaxLengthBytes = 20,
                Overflow = RabbitMqOverflow.DropHead,
            },
            definition.RabbitMq
        );
        Assert.Equal(
            ["Out", "false"],
            new[] { "Name", "DeleteProcessedDocuments" }.Select(name => definition.Object()["Queues"]![0]![name]!.ToString())
        );
        string shown = Assert.Single(tasks.Connections()).Masked().ToJsonString();
        Assert.Contains("amqp://me:******@127.0.0.1:1", shown, StringComparison.Ordinal);
    }

    [Fact]
    public void A_client_certificate_that_cannot_be_is_refused_with_the_reason()
    {
        using var authority = new TestAuthority();
        var (file, key) = authority.IssueFiles("me");
        var (ended, endedKey) = authority.IssueFiles("me", hasEnded: true);
        using var certificate = authority.Issue("me");
        using var privateKey = certificate.GetECDsaPrivateKey()!;
        string encrypted = authority.Write(
            "encrypted.pem",
            privateKey.ExportEncryptedPkcs8PrivateKeyPem(
                "right",
                new PbeParameters(PbeEncryptionAlgorithm.Aes256Cbc, HashAlgorithmName.SHA256, 1000)
            )
        );
        string ofEncrypted = authority.Write("of-encrypted.pem", certificate.ExportCertificatePem());
        string pfx = authority.Write("one.pfx", certificate.Export(X509ContentType.Pfx, "right"));
        string nothing = authority.Write("nothing", "nothing");
        var right = new RabbitMqSettings
        {
            ConnectionString = "amqps://h",
            ClientCertificateFile = file,
            ClientCertificateKeyFile = key,
            AuthMechanism = RabbitMqAuthMechanism.External,
        };
        right.Validate();
        (
            right with
            {
                ClientCertificateFile = ofEncrypted,
                ClientCertificateKeyFile = encrypted,
                ClientCertificatePassword = "right",
            }
        ).Validate();
        (right with { ClientCertificateFile = pfx, ClientCertificateKeyFile = null, ClientCertificatePassword = "right" }).Validate();
        foreach (
            var (settings, words) in new[]
            {
                (right with { ConnectionString = "amqp://h" }, "must begin with 'amqps://'"),
                (right with { ConnectionString = "amqps://user:hush@h" }, "must name none"),
                (right with { ClientCertificateFile = null, ClientCertificateKeyFile = null }, "a ClientCertificateFile is missing"),
                (right with { ClientCertificateFile = null }, "of no use without a ClientCertificateFile"),
                (right with { ClientCertificateFile = file + ".gone" }, $"'{file}.gone', with the key in '{key}', cannot be read"),
                (right with { ClientCertificateKeyFile = key + ".gone" }, $"with the key in '{key}.gone', cannot be read"),
                (right with { ClientCertificateKeyFile = endedKey }, $"with the key in '{endedKey}', cannot be read"),
                (right with { ClientCertificateKeyFile = null }, $"ClientCertificateFile '{file}' cannot be read"),
                (right with { ClientCertificateFile = nothing, ClientCertificateKeyFile = null }, $"'{nothing}' cannot be read"),
                (
                    right with
                    {
                        ClientCertificateFile = ended,
                        ClientCertificateKeyFile = endedKey,
                    },
                    $"ClientCertificateFile '{ended}' ended on "
                ),
                (right with { ClientCertificateFile = ofEncrypted, ClientCertificateKeyFile = encrypted }, $"'{encrypted}' is encrypted"),
                (
                    right with
                    {
                        ClientCertificateFile = ofEncrypted,
                        ClientCertificateKeyFile = encrypted,
                        ClientCertificatePassword = "hush",
                    },
                    "cannot be read"
                ),
                (
                    right with
                    {
                        ClientCertificateFile = pfx,
                        ClientCertificateKeyFile = null,
                        ClientCertificatePassword = "hush",
                    },
                    $"'{pfx}' cannot be read"
                ),
                (right with { ClientCertificateFile = pfx }, "not in PEM form"),
            }
        )
        {
            var refusal = Assert.Throws<InvalidConfigurationException>(settings.Validate);
            Assert.Contains(words, refusal.Message, StringComparison.Ordinal);
            Assert.DoesNotContain("hush", refusal.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task The_settings_of_a_client_certificate_are_read_and_its_password_is_masked()
    {
        using var authority = new TestAuthority();
        using var certificate = authority.Issue("me");
        string pfx = authority.Write("one.pfx", certificate.Export(X509ContentType.Pfx, "hush"));
        await using var scene = await Scene.OpenAsync();
        await using var tasks = EtlTasks.Open(scene.Database, s_engine, new EtlOptions());
        var connection = JsonNode.Parse(Connection("amqps://h"))!;
        connection["RabbitMqConnectionSettings"]!["ClientCertificateFile"] = pfx;
        connection["RabbitMqConnectionSettings"]!["ClientCertificatePassword"] = "hush";
        connection["RabbitMqConnectionSettings"]!["AuthMechanism"] = "external";
        await tasks.PutConnectionAsync(Encoding.UTF8.GetBytes(connection.ToJsonString()));
        var stored = Assert.Single(tasks.Connections());
        var rabbit = stored.RabbitMq(UnboundMachineSecrets.Instance);
        Assert.Equal(
            (pfx, "hush", RabbitMqAuthMechanism.External),
            (rabbit.ClientCertificateFile, rabbit.ClientCertificatePassword, rabbit.AuthMechanism)
        );
        Assert.DoesNotContain("hush", stored.Masked().ToJsonString(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_password_is_masked_whatever_signs_it_holds()
    {
        var members = new JsonObject { ["ConnectionString"] = "amqps://user:a@b:c?d@host/v" };
        Secrets.Mask(members);
        Assert.Equal("amqps://user:******@host/v", members["ConnectionString"]!.GetValue<string>());
    }
}
