using System.Globalization;
using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.EventBenchmarks;

internal sealed class EventsByTag : Benchmark
{
    private static readonly string s_few = Row(300_000);
    private static readonly string s_many = Row(3_000_000);

    public override string Name => "by-tag";

    public override string Group => Catalogue.Events;

    public override string Measures =>
        $"ten events of one tag, from the middle of all positions on, one connection over HTTP; each event has one of {ServerEventsByTag.Tags:N0} tags";

    public override IReadOnlyList<Target> Targets =>
        [Target.ValueAtMost(s_many, Metric.P50, 1), Target.RatioAtMost(s_many, 1.2, Metric.P50, s_few)];

    public override string Sizes(RunSettings settings) => $"{Events(settings):N0} and {10 * Events(settings):N0} events of about 100 bytes";

    public override long DiskBytesNeeded(RunSettings settings) => 11 * Events(settings) * 1024;

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [
            // Named after the full sizes in quick mode, too, so that the figures to reach keep their names.
            new ServerEventsByTag(s_few, Events(settings)),
            new ServerEventsByTag(s_many, 10 * Events(settings)),
        ];

    private static long Events(RunSettings settings) => settings.Pick(300_000, 20_000);

    private static string Row(long events) => string.Create(CultureInfo.InvariantCulture, $"{ServerContender.Jackdaw}, {events:N0} events");
}
