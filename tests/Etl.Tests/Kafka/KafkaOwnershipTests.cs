using System.Text;
using Confluent.Kafka;
using Confluent.Kafka.Admin;
using Jackdaw.Brokers;
using Jackdaw.Etl.Kafka;
using Jackdaw.Etl.Positions;
using Jackdaw.Etl.Sinks;
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
        string topic;
        await using (var before = await KafkaScene.OpenAsync(broker, Path.Combine(folder, "first")))
        {
            topic = before.Topic;
            await before.PutManyAsync(0, 5);
            await before.RunAsync();
        }
        Copy(Path.Combine(folder, "first"), Path.Combine(folder, "second"));
        await using (var first = await KafkaScene.OpenAsync(broker, Path.Combine(folder, "first"), topic))
        {
            await first.RunAsync();
            await using var second = await KafkaScene.OpenAsync(broker, Path.Combine(folder, "second"), topic);
            Assert.Equal(first.Scene.Database.Id, second.Scene.Database.Id);
            await second.StartAsync();
            second.Scene.RunToRest();
            Assert.Equal(EtlTaskState.Fenced, second.Scene.Task.State);
            Assert.Contains("a copy of the folder runs elsewhere", second.Scene.Task.Status().Reason, StringComparison.Ordinal);
            // The first was disturbed, and goes on.
            await first.PutManyAsync(5, 5);
            first.RunToIdle();
            first.AssertExactlyOnce();
            second.Scene.Resume();
            second.Scene.RunToRest();
            // It holds fewer etags than the position says: a person must choose.
            Assert.Equal(EtlTaskState.Stopped, second.Scene.Task.State);
            await second.PutManyAsync(100, 8);
            second.Scene.Resume();
            second.RunToIdle();
            await first.PutManyAsync(10, 5);
            first.Scene.RunToRest();
            Assert.Equal(EtlTaskState.Fenced, first.Scene.Task.State);
            var subjects = second.Read().Select(message => message.Subject).ToArray();
            Assert.DoesNotContain(subjects, subject => subject is "orders/10" or "orders/14");
            Assert.Contains("orders/107", subjects);
            Assert.Equal(subjects.Length, subjects.Distinct().Count());
        }
        Directory.Delete(folder, recursive: true);
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task A_copy_is_a_database_of_its_own_and_a_person_says_where_its_tasks_begin()
    {
        string folder = Directory.CreateTempSubdirectory("jackdaw-kafka-").FullName;
        await using (var original = await KafkaScene.OpenAsync(broker, Path.Combine(folder, "original")))
        {
            await original.PutManyAsync(0, 5);
            await original.RunAsync();
            await original.Scene.Databases.CopyAsync("shop", Path.Combine(folder, "copy"), (_, _) => { }, CancellationToken.None);
            await using var copy = await KafkaScene.OpenAsync(broker, Path.Combine(folder, "copy"), original.Topic);
            await copy.StartAsync();
            Assert.Equal(EtlTaskState.Paused, copy.Scene.Task.State);
            copy.Scene.Resume();
            copy.Scene.RunToRest();
            Assert.Equal(EtlTaskState.Stopped, copy.Scene.Task.State);
            Assert.Contains("is a copy", copy.Scene.Task.Status().Reason, StringComparison.Ordinal);
            copy.Scene.SetPosition(null, 5);
            copy.RunToIdle();
            await copy.PutManyAsync(20, 1);
            copy.RunToIdle();
            await original.PutManyAsync(30, 1);
            original.RunToIdle();
            Assert.Equal(["0", "1", "2", "3", "4", "20", "30"], original.Read().Select(message => message.Subject[7..]));
        }
        Directory.Delete(folder, recursive: true);
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task A_producer_that_is_fenced_finds_who_has_written_since()
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        await kafka.PutManyAsync(0, 3);
        var former = (KafkaTransactionalSink)kafka.Sink();
        await using var one = former;
        var next = (KafkaTransactionalSink)kafka.Sink();
        await using var two = next;
        Assert.Empty(await former.OpenAndReadAsync(takeOver: false, CancellationToken.None));
        Assert.Empty(await next.OpenAndReadAsync(takeOver: false, CancellationToken.None));
        var position = new SinkPosition("all", new TaskPosition(kafka.Scene.Database.Id, 1), Batch: Guid.NewGuid());
        // Fenced, but nobody has written: whoever writes first has it.
        Assert.Equal(
            SinkFault.Sink,
            (await Assert.ThrowsAsync<SinkException>(() => former.StorePositionAsync(position, CancellationToken.None))).Fault
        );
        Assert.Empty(await former.OpenAndReadAsync(takeOver: false, CancellationToken.None));
        await former.StorePositionAsync(position, CancellationToken.None);
        Assert.Equal(
            SinkFault.Sink,
            (await Assert.ThrowsAsync<SinkException>(() => next.StorePositionAsync(position, CancellationToken.None))).Fault
        );
        Assert.Equal(
            SinkFault.Fenced,
            (await Assert.ThrowsAsync<SinkException>(() => next.OpenAndReadAsync(takeOver: false, CancellationToken.None))).Fault
        );
        Assert.Equal([position], await next.OpenAndReadAsync(takeOver: true, CancellationToken.None));
        Assert.Equal(
            SinkFault.Sink,
            (await Assert.ThrowsAsync<SinkException>(() => former.StorePositionAsync(position, CancellationToken.None))).Fault
        );
        Assert.Equal(
            SinkFault.Fenced,
            (await Assert.ThrowsAsync<SinkException>(() => former.OpenAndReadAsync(takeOver: false, CancellationToken.None))).Fault
        );
        // Whose batch it was is known, whoever has written it under his own name since.
        Assert.Equal([position], await former.OpenAndReadAsync(takeOver: true, CancellationToken.None));
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
        kafka.Scene.SetPosition(null, 4);
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
    [InlineData(
        """{"version":2,"databaseId":"00000000-0000-0000-0000-000000000000","etag":1,"owner":{"server":"00000000-0000-0000-0000-000000000000","start":1,"run":"00000000-0000-0000-0000-000000000000"}}""",
        "version 2"
    )]
    public async Task A_position_topic_with_records_of_others_is_refused(string record, string reason)
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        await kafka.CreateTopicAsync(kafka.Names.PositionTopic, 1, new() { ["cleanup.policy"] = "compact" });
        using (var producer = new ProducerBuilder<byte[], byte[]>(new ProducerConfig { BootstrapServers = kafka.BootstrapServers }).Build())
            await producer.ProduceAsync(
                kafka.Names.PositionTopic,
                new() { Key = "all"u8.ToArray(), Value = Encoding.UTF8.GetBytes(record) }
            );
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
        const string Guid = "[0-9a-f-]{36}";
        Assert.Matches(
            $"^{{\"version\":1,\"databaseId\":\"{kafka.Scene.Database.Id:D}\",\"etag\":3,\"owner\":{{\"server\":\"{kafka.Scene.Database.ServerId:D}\",\"start\":1,\"run\":\"{Guid}\"}},\"batch\":\"{Guid}\"}}$",
            record.Value!
        );
        using (var producer = new ProducerBuilder<byte[], byte[]>(new ProducerConfig { BootstrapServers = kafka.BootstrapServers }).Build())
            await producer.ProduceAsync(
                kafka.Names.PositionTopic,
                new() { Key = "all"u8.ToArray(), Value = Encoding.UTF8.GetBytes(record.Value![..^1] + ",\"later\":[1]}") }
            );
        await kafka.PutManyAsync(3, 2);
        await kafka.RunAsync();
        kafka.AssertExactlyOnce();
    }

    private static void Copy(string from, string to)
    {
        foreach (string folder in Directory.GetDirectories(from, "*", SearchOption.AllDirectories).Prepend(from))
            Directory.CreateDirectory(to + folder[from.Length..]);
        foreach (string file in Directory.GetFiles(from, "*", SearchOption.AllDirectories))
            File.Copy(file, to + file[from.Length..]);
    }
}
