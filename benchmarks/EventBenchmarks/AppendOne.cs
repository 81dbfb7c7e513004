using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Peers;

namespace Jackdaw.Bench.EventBenchmarks;

internal sealed class AppendOne : Benchmark
{
    private const string ZeroFilled = "raw device, zero-filled file";
    private const string Recycled = "raw device, recycled file";
    private const double FullSeconds = 4,
        QuickSeconds = 1;

    public override string Name => "append-one";

    public override string Group => Catalogue.Events;

    public override string Measures =>
        "durable events of 1 KB appended over HTTP by one writer on one connection, one event a request, the next when the one before is answered; "
        + "the raw device writes blocks of the size that the journal wrote";

    public override IReadOnlyList<Target> Targets =>
        [Target.RatioAtLeast(ServerContender.Jackdaw, 0.45, Metric.Rate, ZeroFilled, Recycled)];

    public override string Sizes(RunSettings settings) =>
        $"1,000 streams, {settings.Duration(FullSeconds, QuickSeconds).TotalSeconds:0} s a run";

    public override long DiskBytesNeeded(RunSettings settings) => 4L << 30;

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings)
    {
        int writeSize = RawDevice.Block;
        return
        [
            new ServerAppends(ServerContender.Jackdaw, connections: 1, eventsOfAGroup: 1, FullSeconds, QuickSeconds)
            {
                TellWriteSize = size => writeSize = size,
            },
            new RawDevice(ZeroFilled, RawFile.ZeroFilled, () => writeSize, FullSeconds, QuickSeconds),
            new RawDevice(Recycled, RawFile.Recycled, () => writeSize, FullSeconds, QuickSeconds),
        ];
    }
}
