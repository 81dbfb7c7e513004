using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.EtlBenchmarks;

internal sealed class Transforms : Benchmark
{
    public override string Name => "transform";

    public override string Group => Catalogue.Etl;

    public override string Measures =>
        "1 KB documents a second of processor time from the store through a script to messages, in process, one thread";

    public override IReadOnlyList<Target> Targets =>
        [
            Target.RatioAtLeast(TransformedDocuments.Whole, 0.7, Metric.PerCore, ParsedAndWritten.RowName),
            Target.RatioAtLeast(TransformedDocuments.Some, 0.7, Metric.PerCore, ParsedAndWritten.RowName),
        ];

    public override string Sizes(RunSettings settings) => $"{Documents(settings):N0} documents a run";

    public override long DiskBytesNeeded(RunSettings settings) => 0;

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [
            new TransformedDocuments(TransformedDocuments.Whole, "loadToOut(this);", Documents(settings)),
            new TransformedDocuments(
                TransformedDocuments.Some,
                "loadToOut({ id: id(), number: this.Number, name: this.Name, tags: this.Tags.map(tag => tag.toUpperCase()) });",
                Documents(settings)
            ),
            new ParsedAndWritten(Documents(settings)),
            new ParsedAndWrittenInside(Documents(settings)),
        ];

    private static int Documents(RunSettings settings) => settings.Pick(200_000, 50_000);
}
