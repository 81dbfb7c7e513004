using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.SearchBenchmarks;

internal sealed class DateParsing : Benchmark
{
    private const double MostNanoseconds = 40;

    public override string Name => "parse-dates";

    public override string Group => Catalogue.Search;

    public override string Measures =>
        "dates as the protocol writes them, from UTF-8 to a moment, in process on one thread: processor time of each; System.Text: the "
        + "runtime's own parser of that form";

    public override IReadOnlyList<Target> Targets =>
        [
            Target.ValueAtMost(ParsedDates.Plain, ParsedDates.EachTook, MostNanoseconds),
            Target.ValueAtMost(ParsedDates.WithZone, ParsedDates.EachTook, MostNanoseconds),
        ];

    public override string Sizes(RunSettings settings) => $"{Dates(settings):N0} dates a run";

    public override long DiskBytesNeeded(RunSettings settings) => 0;

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [
            new ParsedDates(ParsedDates.Plain, withZone: false, Dates(settings)),
            new ParsedDates(ParsedDates.WithZone, withZone: true, Dates(settings)),
            new ParsedDatesOfRuntime(Dates(settings)),
        ];

    private static int Dates(RunSettings settings) => settings.Pick(20_000_000, 2_000_000);
}
