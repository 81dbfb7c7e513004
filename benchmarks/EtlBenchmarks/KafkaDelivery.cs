using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.EtlBenchmarks;

internal sealed class KafkaDelivery() : BrokerDelivery<SharedKafka>(400_000, 30_000)
{
    public override string Name => "kafka";

    public override string Measures =>
        "1 KB documents through a small script into a topic, until all are committed with their "
        + "position; raw producer: the same messages from a loop, in transactions of the same size";

    protected override double LeastRatio => 0.6;

    protected override string RawRow => KafkaRawProducer.RowName;

    protected override string Window => $"{KafkaRawProducer.MessagesPerTransaction:N0} messages a transaction";

    protected override int Copies => 16;

    protected override Contender CreateRaw(SharedKafka broker, long documents) => new KafkaRawProducer(broker, documents);
}
