using System.Net;
using System.Text;
using System.Text.Json.Nodes;
using Jackdaw.Brokers;
using RabbitMQ.Client;

namespace Jackdaw.Acceptance;

/// <summary>A task to RabbitMQ over plain HTTP, in the shape in which the official clients put it.</summary>
[Trait("Category", "Slow")]
public sealed class EtlRabbitWireTests(WireServer server) : IClassFixture<WireServer>
{
    private const string Script = "loadToOrders({ Number: this.n }, this.kind, { Type: 'order.placed' });";

    private static string Connection(string url) =>
        $$$"""{"Type":"Queue","Name":"Rabbit","BrokerType":"RabbitMq","KafkaConnectionSettings":null,"RabbitMqConnectionSettings":{"ConnectionString":"{{{url}}}"}}""";

    private static string Definition() =>
        new JsonObject
        {
            ["TaskId"] = 0,
            ["Name"] = "Orders out",
            ["MentorNode"] = null,
            ["ConnectionStringName"] = "Rabbit",
            ["Disabled"] = false,
            ["AllowEtlOnNonEncryptedChannel"] = false,
            ["Transforms"] = new JsonArray(
                new JsonObject
                {
                    ["Name"] = "All",
                    ["Disabled"] = false,
                    ["Collections"] = new JsonArray("Orders"),
                    ["ApplyToAllDocuments"] = false,
                    ["Script"] = Script,
                    ["DocumentIdPostfix"] = null,
                }
            ),
            ["EtlType"] = "Queue",
            ["BrokerType"] = "RabbitMq",
            ["Queues"] = new JsonArray(new JsonObject { ["Name"] = "Orders", ["DeleteProcessedDocuments"] = false }),
            ["SkipAutomaticQueueDeclaration"] = false,
        }.ToJsonString();

    [BrokerFact(BrokerKind.RabbitMq)]
    public async Task A_task_as_clients_put_it_sends_to_the_queue_of_its_exchange()
    {
        await using var broker = await RabbitBroker.StartAsync();
        var database = await server.NewDatabaseAsync();
        var connected = await database.SendAsync("PUT", "/admin/connection-strings", Connection(broker.Url));
        Assert.True(connected.Status == HttpStatusCode.OK, connected.Text);
        Assert.DoesNotContain("guest:guest", (await database.GetAsync("/admin/connection-strings")).Text, StringComparison.Ordinal);
        var put = await database.SendAsync("PUT", "/admin/etl", Definition());
        Assert.True(put.Status == HttpStatusCode.OK, put.Text);
        for (var n = 0; n < 20; n++)
            await database.PutAsync($"orders/{n}", $$$"""{"n":{{{n}}},"kind":"k{{{n % 2}}}","@metadata":{"@collection":"Orders"}}""");

        await using var client = await new ConnectionFactory { Uri = new Uri(broker.Url) }.CreateConnectionAsync();
        await using var channel = await client.CreateChannelAsync();
        await EtlWireTests.UntilAsync(
            async () => (await database.GetAsync("/etl/status")).Json.GetProperty("Tasks")[0].GetProperty("Messages").GetInt32() == 20,
            () => "The messages are not sent."
        );
        for (var n = 0; n < 20; n++)
        {
            var got = (await channel.BasicGetAsync("Orders", autoAck: true))!;
            Assert.Equal(
                ($$"""{"Number":{{n}}}""", $"k{n % 2}", "order.placed", $"orders/{n}"),
                (Encoding.UTF8.GetString(got.Body.Span), got.RoutingKey, Header(got, "type"), Header(got, "subject"))
            );
        }
        Assert.Null(await channel.BasicGetAsync("Orders", autoAck: true));
        var task = (await database.GetAsync($"/task?key={put.Json.GetProperty("TaskId").GetInt64()}&type=QueueEtl")).Json;
        Assert.Equal(
            ("RabbitMq", "Active"),
            (task.GetProperty("BrokerType").GetString(), task.GetProperty("TaskConnectionStatus").GetString())
        );
    }

    private static string Header(BasicGetResult got, string name) =>
        Encoding.UTF8.GetString((byte[])got.BasicProperties.Headers![$"cloudEvents:{name}"]!);
}
