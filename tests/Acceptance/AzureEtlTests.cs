using System.Net;
using System.Text.Json;
using System.Text.Json.Nodes;
using Azure.Storage.Queues;
using Jackdaw.Acceptance.Processes;
using Jackdaw.Brokers;

namespace Jackdaw.Acceptance;

/// <summary>Tasks to a real Azure queue, as an official client configures them.</summary>
[Trait("Category", "Slow")]
public sealed class AzureEtlTests
{
    /// <summary>The most that one request gives.</summary>
    private const int MaxReceived = 32;

    private static string Connection(string connectionString) =>
        new JsonObject
        {
            ["Type"] = "Queue",
            ["Name"] = "Azure",
            ["BrokerType"] = "AzureQueueStorage",
            ["AzureQueueStorageConnectionSettings"] = new JsonObject
            {
                ["EntraId"] = null,
                ["ConnectionString"] = connectionString,
                ["Passwordless"] = null,
            },
        }.ToJsonString();

    private static string Definition(string script) =>
        new JsonObject
        {
            ["TaskId"] = 0,
            ["Name"] = "Orders out",
            ["MentorNode"] = null,
            ["ConnectionStringName"] = "Azure",
            ["Disabled"] = false,
            ["AllowEtlOnNonEncryptedChannel"] = false,
            ["Transforms"] = new JsonArray(
                new JsonObject
                {
                    ["Name"] = "All",
                    ["Disabled"] = false,
                    ["Collections"] = new JsonArray("Orders"),
                    ["ApplyToAllDocuments"] = false,
                    ["Script"] = script,
                }
            ),
            ["EtlType"] = "Queue",
            ["BrokerType"] = "AzureQueueStorage",
            ["Queues"] = new JsonArray(new JsonObject { ["Name"] = "orders", ["DeleteProcessedDocuments"] = false }),
            ["SkipAutomaticQueueDeclaration"] = false,
        }.ToJsonString();

    private static QueueClient Queue(AzuriteBroker azurite) =>
        new(azurite.ConnectionString, "orders", new QueueClientOptions { MessageEncoding = QueueMessageEncoding.Base64 });

    /// <summary>Takes what is in the queue by now.</summary>
    private static async Task TakeAsync(QueueClient queue, List<JsonElement> events)
    {
        while ((await queue.ReceiveMessagesAsync(MaxReceived, TimeSpan.FromMinutes(5))).Value is { Length: > 0 } some)
        {
            foreach (var message in some)
            {
                events.Add(JsonDocument.Parse(message.Body.ToMemory()).RootElement);
                await queue.DeleteMessageAsync(message.MessageId, message.PopReceipt);
            }
        }
    }

    private static async Task<string> StateAsync(WireDatabase database) =>
        (await database.GetAsync("/etl/status")).Json.GetProperty("Tasks")[0].GetProperty("State").GetString()!;

    private static async Task<long> StartTaskAsync(WireDatabase database, string connectionString, string script)
    {
        Assert.Equal(
            HttpStatusCode.OK,
            (await database.SendAsync("PUT", "/admin/connection-strings", Connection(connectionString))).Status
        );
        var answer = await database.SendAsync("PUT", "/admin/etl", Definition(script));
        Assert.True(answer.Status == HttpStatusCode.OK, answer.Text);
        return answer.Json.GetProperty("TaskId").GetInt64();
    }

    private static async Task<WireDatabase> CreateAsync(HttpClient client, ServerUnderTest server)
    {
        using var created = await client.PutAsync(
            $"{server.Url}/admin/databases?name=shop",
            new StringContent("""{"DatabaseName":"shop"}""")
        );
        created.EnsureSuccessStatusCode();
        return new WireDatabase(client, server.Url, "shop");
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task A_task_sends_documents_to_the_queue_and_a_wrong_key_is_an_alert_until_it_is_mended()
    {
        await using var azurite = await AzuriteBroker.StartAsync();
        var folder = Directory.CreateTempSubdirectory("jackdaw-azure-").FullName;
        using var client = new HttpClient();
        await using (var server = await ServerUnderTest.StartAsync(folder, []))
        {
            var database = await CreateAsync(client, server);
            var wrong = Convert.ToBase64String("not the key of this account"u8);
            var id = await StartTaskAsync(
                database,
                azurite.ConnectionString.Replace(azurite.AccountKey, wrong, StringComparison.Ordinal),
                "loadToOrders({ n: this.n });"
            );
            await EtlWireTests.PutOrderAsync(database, 1);
            await EtlWireTests.UntilAsync(async () => await StateAsync(database) == "Stopped", () => "The task does not stop.");
            var alerts = (await database.GetAsync("/alerts")).Text;
            Assert.Contains("Azure answered 403", alerts, StringComparison.Ordinal);
            Assert.DoesNotContain(wrong, alerts, StringComparison.Ordinal);

            await database.SendAsync("PUT", "/admin/connection-strings", Connection(azurite.ConnectionString));
            await EtlWireTests.UntilAsync(async () => await StateAsync(database) == "Idle", () => "The task does not go on.");
            List<JsonElement> events = [];
            await TakeAsync(Queue(azurite), events);
            var received = Assert.Single(events);
            Assert.Equal(
                ("orders/1", "ravendb.etl.put", 1),
                (
                    received.GetProperty("subject").GetString(),
                    received.GetProperty("type").GetString(),
                    received.GetProperty("data").GetProperty("n").GetInt32()
                )
            );

            var shown = (await database.GetAsync("/admin/connection-strings")).Text;
            Assert.Contains("AccountKey=******", shown, StringComparison.Ordinal);
            Assert.DoesNotContain(azurite.AccountKey, shown, StringComparison.Ordinal);
            var task = (await database.GetAsync($"/task?key={id}&type=QueueEtl")).Json;
            Assert.Equal(
                ("AzureQueueStorage", "Active"),
                (task.GetProperty("BrokerType").GetString(), task.GetProperty("TaskConnectionStatus").GetString())
            );
            var refused = await database.SendAsync(
                "PUT",
                "/admin/etl",
                Definition("loadToOrder_Items(this);").Replace("Orders out", "Items out", StringComparison.Ordinal)
            );
            Assert.Equal(HttpStatusCode.BadRequest, refused.Status);
            Assert.Contains("no name for an Azure queue", refused.Text, StringComparison.Ordinal);
            Assert.Equal(0, await server.StopAsync());
        }
        Directory.Delete(folder, recursive: true);
    }
}
