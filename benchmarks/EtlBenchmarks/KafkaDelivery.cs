using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;

namespace Jackdaw.Bench.EtlBenchmarks;

internal sealed class KafkaDelivery : Benchmark
{
    public override string Name => "kafka";

    public override string Group => Catalogue.Etl;

    public override string Measures =>
        "1 KB documents through a small script into a topic, until all are committed with their position; raw producer: the same messages from a loop, in transactions of the same size";

    public override IReadOnlyList<Target> Targets => [Target.RatioAtLeast(ServerContender.Jackdaw, 0.6, Metric.Rate, KafkaRawProducer.RowName) with { NeedsFullRun = true }];

    public override string Sizes(RunSettings settings) => $"{Documents(settings):N0} documents, {KafkaRawProducer.MessagesPerTransaction:N0} messages a transaction";

    public override long DiskBytesNeeded(RunSettings settings) => 16 * Documents(settings) * DocumentBodies.Size + (1L << 30);

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings)
    {
        var kafka = new SharedKafka();
        return [new ServerToBroker(kafka, Documents(settings)), new KafkaRawProducer(kafka, Documents(settings))];
    }

    private static long Documents(RunSettings settings) => settings.Pick(400_000, 30_000);
}
