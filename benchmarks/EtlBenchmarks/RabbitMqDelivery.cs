using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.EtlBenchmarks;

internal sealed class RabbitMqDelivery() : BrokerDelivery<SharedRabbit>(200_000, 15_000)
{
    public override string Name => "rabbitmq";

    public override string Measures =>
        "1 KB documents through a small script into a durable queue, until all are "
        + "confirmed and the position is stored; raw publisher: the same messages from a loop";

    protected override double LeastRatio => 0.9;

    protected override string RawRow => RabbitMqRawPublisher.RowName;

    protected override string Window => "at most 1,000 messages unconfirmed";

    protected override int Copies => 8;

    protected override Contender CreateRaw(SharedRabbit broker, long documents) => new RabbitMqRawPublisher(broker, documents);
}
