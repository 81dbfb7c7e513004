using Jackdaw.Brokers;
using Xunit;

namespace Jackdaw.Etl.Tests.Kafka;

[Collection(KafkaCollection.Name)]
[Trait("Category", "Slow")]
public class KafkaOrdersTests(KafkaCollection.SharedBroker broker)
{
    [BrokerFact(BrokerKind.Kafka)]
    public async Task A_position_that_was_ordered_reaches_Kafka_once_wherever_the_server_dies()
    {
        // The database has carried it out; the task is about to be claimed; Kafka is about to be told.
        (string Name, int Time)[] places = [(Failpoint.PositionStored, 1), (Failpoint.KafkaClaiming, 1), (Failpoint.Position, 2)];
        await using var kafka = await KafkaScene.OpenAsync(broker);
        await kafka.PutManyAsync(0, 3);
        await kafka.RunAsync();
        foreach (var (place, time) in places)
        {
            int times = 0;
            kafka.Scene.AtFailpoint = name =>
            {
                if (name == place && ++times == time)
                    throw new SimulatedCrashException(name);
            };
            kafka.Scene.OrderPosition("all", 1);
            await kafka.StartAsync();
            Assert.Throws<SimulatedCrashException>(() => kafka.Scene.RunToRest());
            kafka.Scene.AtFailpoint = null;
            await kafka.RunAsync();
        }
        await kafka.RunAsync();
        var counts = kafka.Read().GroupBy(message => message.Subject).ToDictionary(copies => copies.Key, copies => copies.Count());
        Assert.Equal((1, 1 + places.Length, 1 + places.Length), (counts["orders/0"], counts["orders/1"], counts["orders/2"]));
    }
}
