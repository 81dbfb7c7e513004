using System.Collections;
using System.Diagnostics;
using Jackdaw.Etl.Configuration;
using Jackdaw.Server.Configuration;
using Jackdaw.Server.Security;
using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Security;

/// <summary>Connection strings, an operator's too, do not reach the server's own key, passwords and settings.</summary>
public sealed class LentSecretsTests : IDisposable
{
    private const string Variable = "ETL_SECRET_OF_LENT_SECRETS_TESTS";

    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-secrets-").FullName;
    private readonly KnownClients _clients = new();

    public LentSecretsTests()
    {
        Directory.CreateDirectory(Below);
        Directory.CreateDirectory(Path.Combine(Below, "inner"));
        Directory.CreateDirectory(Path.Combine(_folder, "secrets-of-others"));
        Directory.CreateDirectory(Path.Combine(_folder, "data"));
        File.WriteAllText(Path.Combine(_folder, "server.pem"), "the certificate");
        File.WriteAllText(Path.Combine(_folder, "server.key"), "the key");
        File.WriteAllText(Path.Combine(_folder, "settings.json"), """{"Logs.MinLevel":"Warning"}""");
        File.WriteAllText(Path.Combine(_folder, "secrets-of-others", "x"), "x");
        File.WriteAllText(Path.Combine(_folder, "data", "System"), "rows");
        File.WriteAllText(Path.Combine(Below, "password"), "of the broker\n");
        File.WriteAllText(Path.Combine(Below, "inner", "password"), "of another");
        File.WriteAllText(Path.Combine(Below, "copy"), "the key");
        File.CreateSymbolicLink(Path.Combine(Below, "link"), Path.Combine(_folder, "server.key"));
        File.CreateSymbolicLink(Path.Combine(Below, "same"), "password");
        File.CreateSymbolicLink(Path.Combine(Below, "loop"), "loop");
        File.CreateSymbolicLink(Path.Combine(Below, "current"), "inner");
        Directory.CreateSymbolicLink(Path.Combine(Below, "up"), "..");
        using var link = Process.Start("ln", [Path.Combine(_folder, "server.key"), Path.Combine(Below, "hard")]);
        link.WaitForExit();
        Assert.Equal(0, link.ExitCode);
        Environment.SetEnvironmentVariable(Variable, "from the environment");
    }

    private string Below => Path.Combine(_folder, "secrets");

    public void Dispose()
    {
        Environment.SetEnvironmentVariable(Variable, null);
        _clients.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Theory]
    [InlineData("{below}/password", "of the broker")]
    [InlineData("password", "of the broker")]
    [InlineData("same", "of the broker")]
    [InlineData("{below}/inner/../password", "of the broker")]
    [InlineData("{below}/current/password", "of another")]
    public void A_file_below_the_configured_folder_is_read(string path, string text) =>
        Assert.Equal(text, File.ReadAllText(Secrets().RequireFile(path.Replace("{below}", Below))).TrimEnd());

    [Theory]
    [InlineData("{top}/server.key", "is not below")]
    [InlineData("{below}/link", "is not below")]
    [InlineData("{below}/../server.key", "is not below")]
    [InlineData("../server.key", "is not below")]
    [InlineData("{below}/up/server.key", "is not below")]
    [InlineData("{below}/up/secrets/../server.key", "is not below")]
    [InlineData("{below}/loop", "is not below")]
    [InlineData("{below}", "is not below")]
    [InlineData("{below}-of-others/x", "is not below")]
    [InlineData("/proc/self/environ", "is not below")]
    [InlineData("{below}/hard", "the server's own")]
    [InlineData("{below}/copy", "the server's own")]
    public void A_file_elsewhere_and_another_name_of_the_servers_own_are_refused(string path, string reason)
    {
        var named = path.Replace("{below}", Below).Replace("{top}", _folder);
        var refused = Assert.Throws<RefusedSecretException>(() => Secrets().RequireFile(named));
        Assert.Contains(reason, refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("server.pem")]
    [InlineData("server.key")]
    [InlineData("settings.json")]
    [InlineData("data/System")]
    [InlineData("secrets/link")]
    public void The_servers_own_files_are_refused_even_below_the_folder(string path)
    {
        var refused = Assert.Throws<RefusedSecretException>(() => Secrets($"--ETL.SecretsFolder={_folder}").RequireFile(path));
        Assert.Contains("the server's own", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Without_a_folder_every_file_is_refused_and_the_setting_is_named()
    {
        var secrets = new LentSecrets(Configuration());
        Assert.Contains(
            "Set ETL.SecretsFolder",
            Assert.Throws<RefusedSecretException>(() => secrets.RequireFile(Path.Combine(Below, "password"))).Message,
            StringComparison.Ordinal
        );
    }

    [Theory]
    [InlineData("JACKDAW_Security_Certificate_Password", "the server's own settings")]
    [InlineData("jackdaw_security_certificate_password", "the server's own settings")]
    [InlineData("HOME", "ETL.SecretVariablePrefix")]
    [InlineData("etl_secret_x", "ETL.SecretVariablePrefix")]
    [InlineData("IDENTITY_HEADER", "ETL.SecretVariablePrefix")]
    public void Variables_without_the_prefix_are_refused(string name, string reason) =>
        Assert.Contains(
            reason,
            Assert.Throws<RefusedSecretException>(() => Secrets().RequireVariable(name)).Message,
            StringComparison.Ordinal
        );

    [Fact]
    public void Variables_with_the_prefix_are_read_and_the_prefix_can_be_configured()
    {
        Secrets().RequireVariable(Variable);
        var other = Secrets("--ETL.SecretVariablePrefix=J");
        Assert.Throws<RefusedSecretException>(() => other.RequireVariable(Variable));
        Assert.Throws<RefusedSecretException>(() => other.RequireVariable("JACKDAW_DataDir"));
        other.RequireVariable("JOB_PASSWORD");
    }

    [Fact]
    public void A_server_of_this_machine_alone_reads_what_its_user_may_read_unless_it_is_configured()
    {
        var free = new LentSecrets(ServerConfiguration.Read([], new Hashtable()));
        Assert.Equal($"{_folder}/server.key", free.RequireFile($"{_folder}/server.key"));
        free.RequireVariable("HOME");
        var bound = new LentSecrets(ServerConfiguration.Read([$"--ETL.SecretsFolder={Below}"], new Hashtable()));
        Assert.Throws<RefusedSecretException>(() => bound.RequireFile($"{_folder}/server.key"));
    }

    [Theory]
    [InlineData("--ETL.SecretsFolder=/")]
    [InlineData("--ETL.SecretsFolder=/proc/self")]
    [InlineData("--ETL.SecretsFolder=/dev/../proc")]
    [InlineData("--ETL.SecretVariablePrefix=Jackdaw_Security")]
    public void Settings_that_would_lend_the_process_itself_are_refused(string setting) =>
        Assert.Throws<ConfigurationException>(() => Configuration(setting));

    [Theory]
    [InlineData("None", "WebhookConnectionSettings", """{"Url":"http://localhost:1/","Secret":"${file:{top}/server.key}"}""")]
    [InlineData("None", "WebhookConnectionSettings", """{"Url":"http://localhost:1/","Secret":"${file:{below}/link}"}""")]
    [InlineData("None", "WebhookConnectionSettings", """{"Url":"http://localhost:1/${file:{below}/../server.key}"}""")]
    [InlineData("None", "WebhookConnectionSettings", """{"Url":"http://a/${env:JACKDAW_Security_Certificate_Password}"}""")]
    [InlineData("Kafka", "KafkaConnectionSettings", """{"BootstrapServers":"${file:{top}/settings.json}:1"}""")]
    [InlineData("Kafka", "KafkaConnectionSettings", """{"BootstrapServers":"a:1","ConnectionOptions":{"sasl.password":"${env:HOME}"}}""")]
    [InlineData(
        "Kafka",
        "KafkaConnectionSettings",
        """{"BootstrapServers":"a:1","ConnectionOptions":{" SASL.oauthbearer.assertion.file":"{top}/settings.json"}}"""
    )]
    [InlineData(
        "Kafka",
        "KafkaConnectionSettings",
        """{"BootstrapServers":"a:1","ConnectionOptions":{"ssl.key.location":"{below}/hard"}}"""
    )]
    [InlineData("RabbitMq", "RabbitMqConnectionSettings", """{"ConnectionString":"amqp://guest:${env:HOME}@localhost:1"}""")]
    [InlineData(
        "RabbitMq",
        "RabbitMqConnectionSettings",
        """{"ConnectionString":"amqps://localhost:1","ClientCertificateFile":"{top}/server.pem"}"""
    )]
    [InlineData(
        "RabbitMq",
        "RabbitMqConnectionSettings",
        """{"ConnectionString":"amqps://localhost:1","ClientCertificateFile":"password","ClientCertificateKeyFile":"link"}"""
    )]
    [InlineData("AzureQueueStorage", "AzureQueueStorageConnectionSettings", """{"ConnectionString":"${file:{below}/copy}"}""")]
    [InlineData(
        "AzureQueueStorage",
        "AzureQueueStorageConnectionSettings",
        """{"EntraId":{"StorageAccountName":"account","TenantId":"t","ClientId":"c","ClientSecret":"${file:{below}/hard}"}}"""
    )]
    public async Task An_operators_attempt_is_refused_at_every_place_and_stores_nothing(string broker, string member, string settings)
    {
        await using var scene = await ServerScene.OpenAsync(certificates: _clients, settings: SettingsWithFolder());
        var oper = _clients.Add("operator", Clearance.Operator);
        var named = settings.Replace("{below}", Below).Replace("{top}", _folder);
        var connection = $$"""{"Type":"Queue","Name":"c","BrokerType":"{{broker}}","{{member}}":{{named}}}""";
        var record = $$$"""{"DatabaseName":"new","QueueConnectionStrings":{"c":{{{connection}}}}}""";

        foreach (
            var (path, query, body) in new[]
            {
                ("/databases/db/admin/connection-strings", "", connection),
                ("/databases/db/etl/connections", "", connection),
                ("/admin/databases", "?name=new", record),
            }
        )
        {
            var answer = await scene.RequestAsync("PUT", path, query, body, certificate: oper);
            Assert.Equal(400, answer.Status);
            Assert.Contains("which a connection string names", answer.Text, StringComparison.Ordinal);
            Assert.DoesNotContain("the key", answer.Text, StringComparison.Ordinal);
        }
        var tested = await scene.RequestAsync("POST", "/databases/db/etl/connection-test", body: connection, certificate: oper);
        Assert.Contains("which a connection string names", tested.Text, StringComparison.Ordinal);
        var stored = await scene.RequestAsync("GET", "/databases/db/etl/connections", certificate: oper);
        Assert.Equal(0, stored.Json.GetProperty("Connections").GetArrayLength());
    }

    [Fact]
    public async Task An_operators_file_below_the_folder_and_its_variable_are_taken()
    {
        await using var scene = await ServerScene.OpenAsync(certificates: _clients, settings: SettingsWithFolder());
        var oper = _clients.Add("operator", Clearance.Operator);
        var connection =
            $$$"""{"Type":"Queue","Name":"c","BrokerType":"None","WebhookConnectionSettings":{"Url":"http://localhost:1/${env:{{{Variable}}}}","Secret":"${file:password}"}}""";
        var answer = await scene.RequestAsync("PUT", "/databases/db/etl/connections", body: connection, certificate: oper);
        Assert.True(answer.Status is 200 or 204, answer.Text);
    }

    private LentSecrets Secrets(params string[] settings) => new(Configuration([$"--ETL.SecretsFolder={Below}", .. settings]));

    private ServerConfiguration Configuration(params string[] settings) =>
        ServerConfiguration.Read([$"--DataDir={_folder}/data", .. Settings(), .. settings], new Hashtable());

    private string[] Settings() =>
        [
            "--ServerUrl=https://127.0.0.1:0",
            $"--Security.Certificate.Path={_folder}/server.pem",
            $"--Security.Certificate.KeyPath={_folder}/server.key",
            $"--config-path={_folder}/settings.json",
        ];

    private string[] SettingsWithFolder() => [.. Settings(), $"--ETL.SecretsFolder={Below}"];
}
