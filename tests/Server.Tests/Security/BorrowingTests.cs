using System.Security.Cryptography.X509Certificates;
using Jackdaw.Server.Security;
using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Security;

/// <summary>Whoever administers a database alone gets nothing of the server's: no file, no variable, no certificate, no identity.</summary>
public sealed class BorrowingTests : IDisposable
{
    private readonly KnownClients _clients = new();

    public static TheoryData<string> Borrowing =>
        [
            Webhook("""{"Url":"http://localhost:1/${file:/etc/passwd}"}"""),
            Webhook("""{"Url":"http://localhost:1/","Secret":"${env:HOME}"}"""),
            Webhook("""{"Url":"http://localhost:1/","Secret":"\u0024\u007bfile:/etc/passwd}"}"""),
            Webhook("""{"url":"http://localhost:1/","sEcReT":"${file:/etc/passwd}"}"""),
            Kafka("""{"BootstrapServers":"${file:/etc/hostname}:1"}"""),
            Kafka("""{"BootstrapServers":"localhost:1","UseRavenCertificate":true}"""),
            Kafka("""{"BootstrapServers":"localhost:1","useravencertificate":true}"""),
            Kafka("""{"BootstrapServers":"localhost:1","ConnectionOptions":{"ssl.key.location":"/server.key"}}"""),
            Kafka("""{"BootstrapServers":"localhost:1","ConnectionOptions":{" SSL.Keystore.Location ":"/server.pfx"}}"""),
            Kafka("""{"BootstrapServers":"localhost:1","ConnectionOptions":{"sasl.kerberos.keytab":"/etc/krb5.keytab"}}"""),
            Kafka("""{"BootstrapServers":"localhost:1","ConnectionOptions":{"sasl.mechanism":"GSSAPI"}}"""),
            Kafka(
                """{"BootstrapServers":"localhost:1","ConnectionOptions":{"sasl.oauthbearer.metadata.authentication.type":"azure_imds"}}"""
            ),
            Kafka(
                """{"BootstrapServers":"localhost:1","ConnectionOptions":{"sasl.oauthbearer.token.endpoint.url":"http://169.254.169.254/"}}"""
            ),
            Kafka(
                """{"BootstrapServers":"localhost:1","ConnectionOptions":{"sasl.mechanism":"OAUTHBEARER"},"ManagedIdentity":{"Resource":"x"}}"""
            ),
            Rabbit("""{"ConnectionString":"amqp://guest:${env:HOME}@localhost:1"}"""),
            Rabbit("""{"ConnectionString":"amqps://localhost:1","ClientCertificateFile":"/server.pfx"}"""),
            Rabbit("""{"ConnectionString":"amqps://localhost:1","CertificateAuthorityFile":"/etc/shadow"}"""),
            Azure("""{"Passwordless":{"StorageAccountName":"account"}}"""),
            Azure("""{"EntraId":{"StorageAccountName":"account","TenantId":"t","ClientId":"c","ClientSecret":"${file:/key}"}}"""),
        ];

    public void Dispose() => _clients.Dispose();

    [Theory]
    [MemberData(nameof(Borrowing))]
    public async Task A_connection_string_that_uses_what_is_the_servers_is_an_operators_only(string connection)
    {
        await using var scene = await ServerScene.OpenAsync(certificates: _clients);
        var admin = _clients.Add("admin", Clearance.ValidUser, ("db", DatabaseRight.Admin));
        var oper = _clients.Add("operator", Clearance.Operator);

        Assert.Equal(403, await SendAsync(scene, "PUT", "/admin/connection-strings", connection, admin));
        Assert.Equal(403, await SendAsync(scene, "PUT", "/etl/connections", connection, admin));
        Assert.Equal(403, await SendAsync(scene, "POST", "/etl/connection-test", connection, admin));
        var stored = await scene.RequestAsync("GET", "/databases/db/etl/connections", certificate: admin);
        Assert.Equal(0, stored.Json.GetProperty("Connections").GetArrayLength());
        Assert.True(await SendAsync(scene, "PUT", "/admin/connection-strings", connection, oper) is 200 or 204);
    }

    [Theory]
    [InlineData("""{"Url":"https://attacker.example/hook","Secret":"******"}""", 400)]
    [InlineData("""{"Url":"https://receiver.example:444/hook","Secret":"******"}""", 400)]
    [InlineData("""{"Url":"http://receiver.example/hook","Secret":"******"}""", 400)]
    [InlineData("""{"Url":"https://receiver.example@attacker.example/hook","Secret":"******"}""", 400)]
    [InlineData("""{"Url":"https://receiver.example/other","Secret":"******"}""", 200)]
    public async Task A_masked_secret_of_an_operators_is_not_sent_elsewhere(string settings, int status)
    {
        await using var scene = await ServerScene.OpenAsync(certificates: _clients);
        var admin = _clients.Add("admin", Clearance.ValidUser, ("db", DatabaseRight.Admin));
        var oper = _clients.Add("operator", Clearance.Operator);
        var secret = "whsec_" + Convert.ToBase64String(new byte[32]);
        var first = Webhook($$"""{"Url":"https://receiver.example/hook","Secret":"{{secret}}"}""");
        Assert.Equal(200, await SendAsync(scene, "PUT", "/admin/connection-strings", first, oper));

        Assert.Equal(status, await SendAsync(scene, "PUT", "/admin/connection-strings", Webhook(settings), admin));
    }

    [Fact]
    public async Task A_masked_text_with_an_operators_reference_is_not_kept_by_an_admin()
    {
        await using var scene = await ServerScene.OpenAsync(certificates: _clients);
        var admin = _clients.Add("admin", Clearance.ValidUser, ("db", DatabaseRight.Admin));
        var oper = _clients.Add("operator", Clearance.Operator);
        var first = Rabbit("""{"ConnectionString":"amqp://guest:${env:HOME}@localhost:1"}""");
        Assert.Equal(200, await SendAsync(scene, "PUT", "/admin/connection-strings", first, oper));

        foreach (var text in new[] { "amqp://guest:******@localhost:1", "amqp://guest:******@attacker.example" })
        {
            var changed = Rabbit($$"""{"ConnectionString":"{{text}}","TimeoutInSec":5}""");
            var status = await SendAsync(scene, "PUT", "/admin/connection-strings", changed, admin);
            // With another host the mask is no more than a wrong password.
            Assert.Equal(text.Contains("attacker", StringComparison.Ordinal) ? 200 : 403, status);
            Assert.Equal(200, await SendAsync(scene, "PUT", "/admin/connection-strings", first, oper));
        }
    }

    private static async Task<int> SendAsync(ServerScene scene, string method, string path, string body, X509Certificate2 certificate) =>
        (await scene.RequestAsync(method, "/databases/db" + path, body: body, certificate: certificate)).Status;

    private static string Webhook(string settings) => Of("None", "WebhookConnectionSettings", settings);

    private static string Kafka(string settings) => Of("Kafka", "KafkaConnectionSettings", settings);

    private static string Rabbit(string settings) => Of("RabbitMq", "RabbitMqConnectionSettings", settings);

    private static string Azure(string settings) => Of("AzureQueueStorage", "AzureQueueStorageConnectionSettings", settings);

    private static string Of(string broker, string member, string settings) =>
        $$"""{"Type":"Queue","Name":"c","BrokerType":"{{broker}}","{{member}}":{{settings}}}""";
}
