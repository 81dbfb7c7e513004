using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.EtlBenchmarks;

internal sealed class KafkaLatency : Benchmark
{
    public override string Name => "kafka-latency";

    public override string Group => Catalogue.Etl;

    public override string Measures => "from a PUT's answer to its message at a consumer that reads committed messages, on an idle system";

    public override IReadOnlyList<Target> Targets =>
        [
            Target.ValueAtMost(ServerContender.Jackdaw, Metric.P50, 25) with
            {
                NeedsFullRun = true,
            },
            Target.ValueAtMost(ServerContender.Jackdaw, Metric.P99, 100) with
            {
                NeedsFullRun = true,
            },
        ];

    public override string Sizes(RunSettings settings) =>
        $"{Documents(settings):N0} PUTs, one every {ServerToKafkaLatency.Gap.TotalMilliseconds:0} ms or later";

    public override long DiskBytesNeeded(RunSettings settings) => 1L << 30;

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [new ServerToKafkaLatency(new SharedKafka(), Documents(settings))];

    private static int Documents(RunSettings settings) => settings.Pick(300, 40);
}
