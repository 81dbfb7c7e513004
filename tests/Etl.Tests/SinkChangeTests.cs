using System.Text;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Kafka;
using Jackdaw.Etl.Sinks;
using Xunit;
using static Jackdaw.Etl.Tests.EtlTasksTests;

namespace Jackdaw.Etl.Tests;

/// <summary>A task that is led to another kind of sink goes on where it was, whoever has kept its position until then.</summary>
public class SinkChangeTests
{
    private static byte[] To(KafkaDelivery delivery) =>
        Encoding.UTF8.GetBytes(
            $$"""{"EtlType":"Queue","BrokerType":"Kafka","Name":"Out","ConnectionStringName":"k","Delivery":"{{delivery}}","Transforms":[{"Name":"T","Collections":["Orders"],"Script":"loadToOut(this);"}]}"""
        );

    [Fact]
    public async Task Nothing_comes_twice_and_nothing_is_left_out_when_a_sink_begins_or_ends_to_keep_the_positions()
    {
        await using var scene = await Scene.OpenAsync();
        var broker = new KeptBroker { Ledger = scene.Ledger };
        ISink Sink(TaskDefinition task) =>
            task.Kafka().Delivery == KafkaDelivery.Transactional ? new KeepingSink(broker) : new RecordingSink(scene.Ledger);
        await using var tasks = EtlTasks.Open(scene.Database, s_engine, new EtlOptions { Sink = Sink });
        await tasks.PutConnectionAsync(
            """{"Type":"Queue","Name":"K","BrokerType":"Kafka","KafkaConnectionSettings":{"BootstrapServers":"127.0.0.1:1"}}"""u8.ToArray()
        );
        long? id = null;
        // Back to a receiver that kept a position long ago, too.
        KafkaDelivery[] ways =
        [
            KafkaDelivery.AtLeastOnce,
            KafkaDelivery.Transactional,
            KafkaDelivery.AtLeastOnce,
            KafkaDelivery.Transactional,
            KafkaDelivery.AtLeastOnce,
        ];
        for (int i = 0; i < ways.Length; i++)
        {
            id = await tasks.PutTaskAsync(To(ways[i]), id);
            for (int n = 0; n < 2; n++)
            {
                await scene.PutAsync($"orders/{i}-{n}", "{}");
                await UntilAsync(() =>
                    tasks.Find(id.Value)!.Status
                        is { State: EtlTaskState.Stopped }
                            or { State: EtlTaskState.Idle, Transforms: [{ DocumentsBehind: 0 }] }
                );
            }
            Assert.Equal(EtlTaskState.Idle, tasks.Find(id.Value)!.Status.State);
        }
        Assert.Equal(
            Enumerable.Range(0, ways.Length).SelectMany(i => new[] { $"orders/{i}-0", $"orders/{i}-1" }),
            scene.Ledger.Select(received => received.Message.Origin.DocumentId)
        );
    }
}
