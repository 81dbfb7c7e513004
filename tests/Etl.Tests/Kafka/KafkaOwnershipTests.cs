using System.Text;
using Confluent.Kafka;
using Confluent.Kafka.Admin;
using Jackdaw.Brokers;
using Jackdaw.Etl.Kafka;
using Xunit;

namespace Jackdaw.Etl.Tests.Kafka;

/// <summary>Who has a task, and where its positions are.</summary>
[Collection(KafkaCollection.Name)]
[Trait("Category", "Slow")]
public sealed class KafkaOwnershipTests(KafkaCollection.SharedBroker broker)
{
    [BrokerFact(BrokerKind.Kafka)]
    public async Task Of_two_servers_with_copies_of_one_database_the_second_is_fenced_and_once_resumed_fences_the_first()
    {
        string folder = Directory.CreateTempSubdirectory("jackdaw-kafka-").FullName;
        await using (var first = await KafkaScene.OpenAsync(broker, Path.Combine(folder, "first")))
        {
            await first.PutManyAsync(0, 5);
            await first.RunAsync();
            await first.Scene.Databases.CopyAsync("shop", Path.Combine(folder, "second"), (_, _) => { }, CancellationToken.None);
            await using var second = await KafkaScene.OpenAsync(broker, Path.Combine(folder, "second"), first.Topic);
            Assert.Equal(first.Scene.Database.Id, second.Scene.Database.Id);
            await second.StartAsync();
            second.Scene.RunToRest();
            Assert.Equal(EtlTaskState.Fenced, second.Scene.Task.State);
            Assert.Contains("copies of one database", second.Scene.Task.Status().Reason, StringComparison.Ordinal);
            // The first was disturbed, and goes on.
            await first.PutManyAsync(5, 5);
            first.RunToIdle();
            first.AssertExactlyOnce();
            second.Scene.Task.Resume();
            second.Scene.RunToRest();
            // It holds fewer etags than the position says: a person must choose.
            Assert.Equal(EtlTaskState.Stopped, second.Scene.Task.State);
            await second.PutManyAsync(100, 8);
            second.Scene.Task.Resume();
            second.RunToIdle();
            await first.PutManyAsync(10, 5);
            first.Scene.RunToRest();
            Assert.Equal(EtlTaskState.Fenced, first.Scene.Task.State);
            var sent = second.Read();
            Assert.DoesNotContain(sent, message => message.Subject is "orders/10" or "orders/14");
            Assert.Equal(sent.Count, sent.Select(message => message.Id).Distinct().Count());
        }
        Directory.Delete(folder, recursive: true);
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task A_position_topic_that_was_lost_stops_the_task_until_a_person_sets_the_position()
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        await kafka.PutManyAsync(0, 5);
        await kafka.RunAsync();
        using (var admin = kafka.Admin())
            await admin.DeleteTopicsAsync([kafka.Names.PositionTopic]);
        await kafka.StartAsync();
        kafka.Scene.RunToRest();
        Assert.Equal(EtlTaskState.Stopped, kafka.Scene.Task.State);
        Assert.Contains("keeps no position", kafka.Scene.Task.Status().Reason, StringComparison.Ordinal);
        kafka.Scene.Task.SetPosition(null, 4);
        kafka.RunToIdle();
        Assert.Equal(["0", "1", "2", "3", "4", "4"], kafka.Read().Select(message => message.Subject[7..]));
        // The next start goes on from what Kafka has, not from the copy.
        await kafka.PutManyAsync(5, 1);
        await kafka.RunAsync();
        Assert.Equal(7, kafka.Read().Count);
    }

    [BrokerTheory(BrokerKind.Kafka)]
    [InlineData(2, "compact", "2 partitions")]
    [InlineData(1, "delete", "cleanup.policy 'delete'")]
    [InlineData(1, "compact,delete", "cleanup.policy 'compact,delete'")]
    public async Task A_position_topic_of_another_shape_is_refused(int partitions, string policy, string reason)
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        await kafka.CreateTopicAsync(kafka.Names.PositionTopic, partitions, new() { ["cleanup.policy"] = policy });
        await kafka.StartAsync();
        kafka.Scene.RunToRest();
        Assert.Equal(EtlTaskState.Stopped, kafka.Scene.Task.State);
        Assert.Contains(reason, kafka.Scene.Task.Status().Reason, StringComparison.Ordinal);
    }

    [BrokerTheory(BrokerKind.Kafka)]
    [InlineData("no json", "no task wrote")]
    [InlineData("""{"version":2,"databaseId":"00000000-0000-0000-0000-000000000000","etag":1,"owner":{"server":"00000000-0000-0000-0000-000000000000","start":1,"run":"00000000-0000-0000-0000-000000000000"}}""", "version 2")]
    public async Task A_position_topic_with_records_of_others_is_refused(string record, string reason)
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        await kafka.CreateTopicAsync(kafka.Names.PositionTopic, 1, new() { ["cleanup.policy"] = "compact" });
        using (var producer = new ProducerBuilder<byte[], byte[]>(new ProducerConfig { BootstrapServers = kafka.BootstrapServers }).Build())
            await producer.ProduceAsync(kafka.Names.PositionTopic, new() { Key = "all"u8.ToArray(), Value = Encoding.UTF8.GetBytes(record) });
        await kafka.StartAsync();
        kafka.Scene.RunToRest();
        Assert.Equal(EtlTaskState.Stopped, kafka.Scene.Task.State);
        Assert.Contains(reason, kafka.Scene.Task.Status().Reason, StringComparison.Ordinal);
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task The_position_record_says_whose_and_which_it_is_and_unknown_members_are_left_alone()
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        await kafka.PutManyAsync(0, 3);
        await kafka.RunAsync();
        var record = kafka.Read(kafka.Names.PositionTopic)[^1];
        Assert.Equal("all", record.Key);
        Assert.Equal($"{{\"version\":1,\"databaseId\":\"{kafka.Scene.Database.Id:D}\",\"etag\":3,\"owner\":{{\"server\":\"{kafka.Scene.Database.ServerId:D}\",\"start\":1,\"run\":", record.Value![..^40]);
        using (var producer = new ProducerBuilder<byte[], byte[]>(new ProducerConfig { BootstrapServers = kafka.BootstrapServers }).Build())
            await producer.ProduceAsync(kafka.Names.PositionTopic, new() { Key = "all"u8.ToArray(), Value = Encoding.UTF8.GetBytes(record.Value[..^1] + ",\"later\":[1]}") });
        await kafka.PutManyAsync(3, 2);
        await kafka.RunAsync();
        kafka.AssertExactlyOnce();
    }
}
