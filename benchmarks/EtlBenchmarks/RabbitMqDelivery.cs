using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;

namespace Jackdaw.Bench.EtlBenchmarks;

internal sealed class RabbitMqDelivery : Benchmark
{
    public override string Name => "rabbitmq";

    public override string Group => Catalogue.Etl;

    public override string Measures =>
        "1 KB documents through a small script into a durable queue, until all are confirmed and the position is stored; raw publisher: the same messages from a loop";

    public override IReadOnlyList<Target> Targets => [Target.RatioAtLeast(ServerContender.Jackdaw, 0.9, Metric.Rate, RabbitMqRawPublisher.RowName) with { NeedsFullRun = true }];

    public override string Sizes(RunSettings settings) => $"{Documents(settings):N0} documents, at most 1,000 messages unconfirmed";

    public override long DiskBytesNeeded(RunSettings settings) => 8 * Documents(settings) * DocumentBodies.Size + (1L << 30);

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings)
    {
        var rabbit = new SharedRabbit();
        return [new ServerToBroker(rabbit, Documents(settings)), new RabbitMqRawPublisher(rabbit, Documents(settings))];
    }

    private static long Documents(RunSettings settings) => settings.Pick(200_000, 15_000);
}
