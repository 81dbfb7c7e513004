using System.Text;
using System.Text.Json.Nodes;
using Confluent.Kafka;
using Confluent.Kafka.Admin;
using Jackdaw.Brokers;
using Jackdaw.Etl.Kafka;
using Xunit;

namespace Jackdaw.Etl.Tests.Kafka;

/// <summary>What becomes of a task's position topic when the task is removed.</summary>
[Collection(KafkaCollection.Name)]
[Trait("Category", "Slow")]
public sealed class KafkaRemovalTests(KafkaCollection.SharedBroker broker)
{
    private static readonly Scripting.ScriptEngine s_engine = new();

    /// <summary>As of a database's first task.</summary>
    private static string PositionTopic(KafkaScene kafka) => new KafkaTaskNames(kafka.Scene.Database.Id, 1).PositionTopic;

    private static async Task<EtlTasks> SendOneAsync(KafkaScene kafka)
    {
        var options = new JsonObject(kafka.Options.Select(option => KeyValuePair.Create(option.Key, (JsonNode?)option.Value)));
        var connection = new JsonObject
        {
            ["Type"] = "Queue",
            ["Name"] = "K",
            ["BrokerType"] = "Kafka",
            ["KafkaConnectionSettings"] = new JsonObject
            {
                ["BootstrapServers"] = kafka.Servers ?? kafka.BootstrapServers,
                ["ConnectionOptions"] = options,
            },
        };
        var task = new JsonObject
        {
            ["EtlType"] = "Queue",
            ["BrokerType"] = "Kafka",
            ["Name"] = "Out",
            ["ConnectionStringName"] = "K",
            ["Transforms"] = new JsonArray(
                new JsonObject
                {
                    ["Name"] = "All",
                    ["Collections"] = new JsonArray("Orders"),
                    ["Script"] = $"loadTo('{kafka.Topic}', this);",
                }
            ),
        };
        await kafka.PutManyAsync(0, 1);
        var tasks = EtlTasks.Open(kafka.Scene.Database, s_engine, new EtlOptions());
        await tasks.PutConnectionAsync(Encoding.UTF8.GetBytes(connection.ToJsonString()));
        Assert.Equal(1, await tasks.PutTaskAsync(Encoding.UTF8.GetBytes(task.ToJsonString()), null));
        await Eventually.IsAsync(() => tasks.Find(1)!.Status is { State: EtlTaskState.Idle, Messages: 1 });
        return tasks;
    }

    private static bool IsThere(KafkaScene kafka, string topic)
    {
        using var admin = kafka.Admin();
        return admin.GetMetadata(Eventually.Patience).Topics.Any(found => found.Topic == topic);
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task It_goes_with_the_task_and_what_was_sent_stays()
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        await using var tasks = await SendOneAsync(kafka);
        Assert.True(IsThere(kafka, PositionTopic(kafka)));
        Assert.Equal(new EtlTaskRemoval(null), await tasks.RemoveTaskAsync(1));
        Assert.False(IsThere(kafka, PositionTopic(kafka)));
        Assert.Equal("orders/0", Assert.Single(kafka.Read()).Subject);
        Assert.Null(await tasks.RemoveTaskAsync(1));
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task It_stays_where_another_server_has_the_task()
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        await using var tasks = await SendOneAsync(kafka);
        var record = kafka.Read(PositionTopic(kafka))[^1];
        using (var producer = new ProducerBuilder<byte[], byte[]>(new ProducerConfig { BootstrapServers = kafka.BootstrapServers }).Build())
        {
            string others = record.Value!.Replace($"{kafka.Scene.Database.ServerId:D}", $"{Guid.NewGuid():D}", StringComparison.Ordinal);
            await producer.ProduceAsync(
                PositionTopic(kafka),
                new() { Key = Encoding.UTF8.GetBytes(record.Key!), Value = Encoding.UTF8.GetBytes(others) }
            );
        }
        var removal = await tasks.RemoveTaskAsync(1);
        Assert.Contains($"'{PositionTopic(kafka)}' stays: another server", removal!.Remains, StringComparison.Ordinal);
        Assert.True(IsThere(kafka, PositionTopic(kafka)));
        Assert.Empty(tasks.List());
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task It_is_named_where_there_is_no_right_to_delete_it()
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        kafka.UseSasl(broker, "poor");
        string positions = PositionTopic(kafka);
        await kafka.CreateTopicAsync(kafka.Topic, 1);
        await kafka.CreateTopicAsync(positions, 1, new() { ["cleanup.policy"] = "compact" });
        await kafka.AllowAsync("poor", ResourceType.Topic, kafka.Topic, AclOperation.All);
        await kafka.AllowAsync(
            "poor",
            KafkaScene.TransactionalId,
            new KafkaTaskNames(kafka.Scene.Database.Id, 1).TransactionalId,
            AclOperation.All
        );
        foreach (var operation in new[] { AclOperation.Read, AclOperation.Write, AclOperation.Describe, AclOperation.DescribeConfigs })
            await kafka.AllowAsync("poor", ResourceType.Topic, positions, operation);
        await using var tasks = await SendOneAsync(kafka);
        var removal = await tasks.RemoveTaskAsync(1);
        Assert.Contains(
            $"'{positions}', in which the task kept its positions, could not be deleted: ",
            removal!.Remains,
            StringComparison.Ordinal
        );
        Assert.Contains("TopicAuthorizationFailed", removal.Remains, StringComparison.Ordinal);
        Assert.True(IsThere(kafka, positions));
    }
}
