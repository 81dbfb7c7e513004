using System.Net;
using System.Text;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance;

/// <summary>Secrets of connection strings of every kind, given in every way: none comes out again, whatever is asked and whatever
/// goes wrong.</summary>
[Trait("Category", "Slow")]
public sealed class EtlSecretsTests
{
    private const string Plain = "hushPlain";
    private const string OfEnvironment = "hushEnvironment";
    private const string OfFile = "hushFile";

    private static readonly string s_key = Convert.ToBase64String(Encoding.ASCII.GetBytes($"{Plain}, and bytes enough for a key"));

    private static string[] Connections(string file) =>
        [
            // Of many endpoints the path is the secret.
            $$$"""{"Type":"Queue","Name":"None","BrokerType":"None","WebhookConnectionSettings":{"Url":"${env:HUSH_URL}","Secret":"whsec_{{{s_key}}}"}}""",
            $$$"""{"Type":"Queue","Name":"RabbitMq","BrokerType":"RabbitMq","RabbitMqConnectionSettings":{"ConnectionString":"amqp://me:{{{Plain}}}@127.0.0.1:1/"}}""",
            $$$$"""{"Type":"Queue","Name":"Kafka","BrokerType":"Kafka","KafkaConnectionSettings":{"BootstrapServers":"127.0.0.1:1","ConnectionOptions":{"security.protocol":"SASL_PLAINTEXT","sasl.mechanism":"PLAIN","sasl.username":"me","sasl.password":"${file:{{{{file}}}}}"}}}""",
            """{"Type":"Queue","Name":"AzureQueueStorage","BrokerType":"AzureQueueStorage","AzureQueueStorageConnectionSettings":{"EntraId":{"StorageAccountName":"shop","TenantId":"t","ClientId":"c","ClientSecret":"${env:HUSH}","AuthorityHost":"http://127.0.0.1:1"}}}""",
        ];

    [Fact]
    public async Task No_answer_metric_or_line_of_output_shows_a_secret()
    {
        var folder = Directory.CreateTempSubdirectory("jackdaw-secrets-").FullName;
        var file = Path.Combine(folder, "password");
        await File.WriteAllTextAsync(file, OfFile);
        var said = new StringBuilder();
        await using (
            var server = await ServerUnderTest.StartAsync(
                folder,
                ["--RunInMemory=true"],
                new Dictionary<string, string> { ["HUSH"] = OfEnvironment, ["HUSH_URL"] = $"http://127.0.0.1:1/{OfEnvironment}" }
            )
        )
        {
            using var client = new HttpClient();
            using (
                var created = await client.PutAsync(
                    $"{server.Url}/admin/databases?name=shop",
                    new StringContent("""{"DatabaseName":"shop"}""")
                )
            )
                created.EnsureSuccessStatusCode();
            var database = new WireDatabase(client, server.Url, "shop");
            foreach (var connection in Connections(file))
            {
                var put = await database.SendAsync("PUT", "/admin/connection-strings", connection);
                Assert.True(put.Status == HttpStatusCode.OK, put.Text);
                var name = JsonDocument.Parse(connection).RootElement.GetProperty("Name").GetString()!;
                var task = await database.SendAsync(
                    "PUT",
                    "/admin/etl",
                    $$"""{"EtlType":"Queue","BrokerType":"{{name}}","Name":"To {{name}}","ConnectionStringName":"{{name}}","Transforms":[{"Name":"All","Collections":["Orders"],"Script":"loadToOrders(this);"}]}"""
                );
                Assert.True(task.Status == HttpStatusCode.OK, task.Text);
                said.Append(put.Text).Append(task.Text);
                // Kafka's client takes its time to say that nobody is there.
                if (name != "Kafka")
                    said.Append((await database.SendAsync("POST", $"/etl/connection-test?name={name}")).Text);
                // Refused, and told why.
                said.Append(
                    (
                        await database.SendAsync(
                            "PUT",
                            "/admin/connection-strings",
                            connection
                                .Replace("127.0.0.1:1", "no host", StringComparison.Ordinal)
                                .Replace("whsec_", "", StringComparison.Ordinal)
                        )
                    ).Text
                );
            }
            await EtlWireTests.PutOrderAsync(database, 1);
            await EtlWireTests.UntilAsync(
                async () =>
                    (await database.GetAsync("/etl/status"))
                        .Json.GetProperty("Tasks")
                        .EnumerateArray()
                        .Count(task => task.GetProperty("Reason").ValueKind == JsonValueKind.String) >= 3,
                async () => (await database.GetAsync("/etl/status")).Text
            );
            foreach (
                var path in new[]
                {
                    "/etl/status",
                    "/etl/tasks",
                    "/etl/connections",
                    "/etl/dead-letters",
                    "/alerts",
                    "/admin/connection-strings",
                    "/stats",
                }
            )
            {
                var answer = await database.GetAsync(path);
                Assert.True(answer.Status == HttpStatusCode.OK, $"{path}: {answer.Text}");
                said.Append(answer.Text);
            }
            for (var id = 1; id <= 4; id++)
                said.Append((await database.GetAsync($"/task?key={id}&type=QueueEtl")).Text);
            foreach (var path in new[] { "/metrics", "/health/ready", "/databases?name=shop", "/admin/databases?name=shop" })
                said.Append(await (await client.GetAsync(server.Url + path)).Content.ReadAsStringAsync());
            Assert.Equal(0, await server.StopAsync());
            said.Append(server.Output).Append(server.Errors);
        }
        Directory.Delete(folder, recursive: true);
        var all = said.ToString();
        // It is about these tasks.
        Assert.Contains("127.0.0.1:1 cannot be reached", all, StringComparison.Ordinal);
        Assert.Contains("To AzureQueueStorage", all, StringComparison.Ordinal);
        foreach (var secret in new[] { Plain, s_key, OfEnvironment, OfFile })
            Assert.DoesNotContain(secret, all, StringComparison.Ordinal);
    }
}
