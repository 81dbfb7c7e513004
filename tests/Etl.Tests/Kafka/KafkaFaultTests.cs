using Confluent.Kafka;
using Confluent.Kafka.Admin;
using Jackdaw.Brokers;
using Jackdaw.Etl.Kafka;
using Jackdaw.Etl.Sinks;
using Xunit;

namespace Jackdaw.Etl.Tests.Kafka;

/// <summary>Whose fault what is: docs/etl-errors.md.</summary>
[Collection(KafkaCollection.Name)]
[Trait("Category", "Slow")]
public sealed class KafkaFaultTests(KafkaCollection.SharedBroker broker)
{
    [BrokerTheory(BrokerKind.Kafka)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_missing_topic_that_must_not_be_made_stops_the_task(bool isAtLeastOnce)
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        await kafka.PutManyAsync(0, 1);
        await kafka.StartAsync(
            task: new KafkaTaskSettings
            {
                CreatesTopics = false,
                Delivery = isAtLeastOnce ? KafkaDelivery.AtLeastOnce : KafkaDelivery.Transactional,
            }
        );
        kafka.Scene.RunToRest();
        Assert.Equal(EtlTaskState.Stopped, kafka.Scene.Task.State);
        Assert.Contains($"'{kafka.Topic}' does not exist", kafka.Scene.Task.Status().Reason, StringComparison.Ordinal);
        await kafka.CreateTopicAsync(kafka.Topic, 1);
        kafka.Scene.Resume();
        kafka.RunToIdle();
        kafka.AssertExactlyOnce();
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task A_target_that_can_be_no_topic_is_a_dead_letter_and_the_others_arrive()
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        await kafka.PutManyAsync(0, 10);
        await kafka.RunAsync($"loadTo(this.n === 4 ? 'no topic' : '{kafka.Topic}', {{ n: this.n }});");
        kafka.AssertExactlyOnce(id => id != "orders/4");
        Assert.Contains("allowed are ASCII letters", Assert.Single(kafka.Scene.DeadLetters()), StringComparison.Ordinal);
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task A_topic_that_is_deleted_meanwhile_is_made_again()
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        kafka.Times = new KafkaTimes { Transaction = TimeSpan.FromSeconds(6), Opening = TimeSpan.FromSeconds(10) };
        await kafka.PutManyAsync(0, 2);
        await kafka.RunAsync();
        using (var admin = kafka.Admin())
            await admin.DeleteTopicsAsync([kafka.Topic]);
        await kafka.PutManyAsync(2, 2);
        // An unknown topic is the task's fault, but this one was known; a person, or a restart, has it made.
        kafka.Scene.RunToRest();
        if (kafka.Scene.Task.State == EtlTaskState.Stopped)
        {
            kafka.Scene.Resume();
            kafka.Scene.RunToRest();
        }
        Assert.Equal(EtlTaskState.Idle, kafka.Scene.Task.State);
        Assert.Equal(["orders/2", "orders/3"], kafka.Read().Select(message => message.Subject));
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task A_broker_that_cannot_be_reached_is_waited_for_and_named()
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        kafka.IsProxied = true;
        kafka.Times = new KafkaTimes { Opening = TimeSpan.FromSeconds(2) };
        await kafka.PutManyAsync(0, 2);
        broker.Proxy.Mode = ProxyMode.Refuse;
        await kafka.StartAsync();
        Assert.NotEqual(TimeSpan.Zero, kafka.Scene.Task.RunStep());
        Assert.Equal(EtlTaskState.Waiting, kafka.Scene.Task.State);
        Assert.Contains("refused", kafka.Scene.Task.Status().Reason, StringComparison.OrdinalIgnoreCase);
        broker.Proxy.Mode = ProxyMode.Pass;
        kafka.RunToIdle();
        kafka.AssertExactlyOnce();
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task A_task_closed_while_it_opens_into_a_black_hole_ends_within_its_grace()
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        kafka.IsProxied = true;
        kafka.Scene.Limits = kafka.Scene.Limits with { CloseGrace = TimeSpan.FromMilliseconds(500) };
        // Far longer than any machine stands still: what ends it is its grace.
        kafka.Times = new KafkaTimes { Opening = TimeSpan.FromMinutes(10) };
        broker.Proxy.Mode = ProxyMode.BlackHole;
        await kafka.StartAsync();
        var closing = Task.Run(async () =>
        {
            await Task.Delay(300);
            kafka.Scene.Task.BeginClose();
        });
        long began = Environment.TickCount64;
        kafka.Scene.RunToRest();
        await closing;
        Assert.Equal(EtlTaskState.Closed, kafka.Scene.Task.State);
        Assert.InRange(Environment.TickCount64 - began, 0, (long)Eventually.Patience.TotalMilliseconds);
        broker.Proxy.CutAll();
        broker.Proxy.Mode = ProxyMode.Pass;
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task A_connection_is_tested_without_sending_anything()
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        await using var good = new KafkaConnectionTest(
            new KafkaClientConfig(new KafkaSettings { BootstrapServers = kafka.BootstrapServers }, null, KafkaTimes.Default)
        );
        Assert.Contains("1 broker", await good.TestAsync(CancellationToken.None), StringComparison.Ordinal);
        await using var bad = new KafkaConnectionTest(
            new KafkaClientConfig(
                new KafkaSettings { BootstrapServers = "127.0.0.1:1" },
                null,
                new KafkaTimes { Opening = TimeSpan.FromSeconds(1) }
            )
        );
        var refusal = await Assert.ThrowsAsync<SinkException>(() => bad.TestAsync(CancellationToken.None));
        Assert.Equal(SinkFault.Sink, refusal.Fault);
        Assert.Contains("refused", refusal.Message, StringComparison.OrdinalIgnoreCase);
    }

    /// <summary>The position is a record of the batch like any other, but none of its messages: where it was refused the task
    /// ended with an index out of range.</summary>
    [BrokerFact(BrokerKind.Kafka)]
    public async Task A_position_that_its_topic_does_not_take_stops_the_task_and_no_message_is_blamed()
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        await kafka.PutManyAsync(0, 2);
        await kafka.RunAsync();
        await kafka.ChangeTopicAsync(kafka.Names.PositionTopic, new() { ["max.message.bytes"] = "100" });
        await kafka.PutManyAsync(2, 5);
        kafka.Scene.RunToRest();
        AssertStoppedForItsPosition(kafka, "MsgSizeTooLarge");
        Assert.Empty(kafka.Scene.DeadLetters());
        // Also those that a start writes anew, without messages.
        await using (var sink = (KafkaTransactionalSink)kafka.Sink())
        {
            var refusal = await Assert.ThrowsAsync<SinkException>(() => sink.OpenAndReadAsync(takeOver: true, CancellationToken.None));
            Assert.Equal(SinkFault.Task, refusal.Fault);
            Assert.Contains($"'{kafka.Names.PositionTopic}'", refusal.Message, StringComparison.Ordinal);
        }
        await kafka.ChangeTopicAsync(kafka.Names.PositionTopic, new() { ["max.message.bytes"] = "100000" });
        kafka.Scene.Resume();
        kafka.RunToIdle();
        kafka.AssertExactlyOnce();
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task A_position_topic_that_must_not_be_written_is_named()
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        kafka.UseSasl(broker, "poor");
        await kafka.CreateTopicAsync(kafka.Topic, 1);
        await kafka.CreateTopicAsync(kafka.Names.PositionTopic, 1, new() { ["cleanup.policy"] = "compact" });
        await kafka.AllowAsync("poor", ResourceType.Topic, kafka.Topic, AclOperation.All);
        await kafka.AllowAsync("poor", KafkaScene.TransactionalId, kafka.Names.TransactionalId, AclOperation.All);
        foreach (var operation in new[] { AclOperation.Read, AclOperation.Describe, AclOperation.DescribeConfigs })
            await kafka.AllowAsync("poor", ResourceType.Topic, kafka.Names.PositionTopic, operation);
        await kafka.PutManyAsync(0, 5);
        await kafka.StartAsync();
        kafka.Scene.RunToRest(atMost: 20);
        AssertStoppedForItsPosition(kafka, "AUTHORIZATION");
        await kafka.AllowAsync("poor", ResourceType.Topic, kafka.Names.PositionTopic, AclOperation.Write);
        kafka.Scene.Resume();
        kafka.RunToIdle();
        kafka.AssertExactlyOnce();
    }

    private static void AssertStoppedForItsPosition(KafkaScene kafka, string why)
    {
        Assert.Equal(EtlTaskState.Stopped, kafka.Scene.Task.State);
        string? reason = kafka.Scene.Task.Status().Reason;
        Assert.Contains(kafka.Names.PositionTopic, reason, StringComparison.Ordinal);
        Assert.Contains(why, reason, StringComparison.OrdinalIgnoreCase);
    }
}
