using Jackdaw.Bench.EtlBenchmarks;
using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.CloudBenchmarks;

internal sealed class FunctionLatency : Benchmark
{
    public override string Name => "function-latency";

    public override string Group => Catalogue.Cloud;

    public override string Measures =>
        "from a PUT's answer to the end of its function, by way of an Azure queue (Azurite), on an idle system; the stand-in host looks at the "
        + $"queue every {ServerToFunction.Look.TotalMilliseconds:0} ms, so that the poll of a real host is not in the figure";

    public override IReadOnlyList<Target> Targets =>
        [
            Target.ValueAtMost(CloudContender.StandIn, Metric.P50, 30) with
            {
                NeedsFullRun = true,
            },
            Target.ValueAtMost(CloudContender.StandIn, Metric.P99, 150) with
            {
                NeedsFullRun = true,
            },
        ];

    public override string Sizes(RunSettings settings) =>
        $"{Documents(settings):N0} PUTs, one every {ServerToFunction.Gap.TotalMilliseconds:0} ms or later";

    public override long DiskBytesNeeded(RunSettings settings) => 1L << 30;

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [new ServerToFunction(new SharedAzurite(), Documents(settings))];

    private static int Documents(RunSettings settings) => settings.Pick(300, 40);
}
