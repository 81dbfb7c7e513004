using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;

namespace Jackdaw.Bench.DocumentBenchmarks;

internal sealed class HttpGet : Benchmark
{
    private const int Connections = 64;
    private const double FullSeconds = 30,
        QuickSeconds = 1;

    public override string Name => "get";

    public override string Group => Catalogue.Documents;

    public override string Measures =>
        "GETs of one document by random id over HTTP, 64 connections; the bare Kestrel endpoint answers the same bytes";

    public override IReadOnlyList<Target> Targets => [Target.RatioAtLeast(ServerContender.Jackdaw, 0.75, Metric.Rate, KestrelGets.RowName)];

    public override string Sizes(RunSettings settings) =>
        $"{Documents(settings):N0} documents, {settings.Duration(FullSeconds, QuickSeconds).TotalSeconds:0} "
        + $"s a run, {HttpLoadGenerator.Description}";

    public override long DiskBytesNeeded(RunSettings settings) => 4 * Documents(settings) * DocumentBodies.Size;

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings)
    {
        var answer = new AnswerBytes();
        return
        [
            new ServerGets(answer, Connections, Documents(settings), FullSeconds, QuickSeconds),
            new KestrelGets(answer, Connections, Documents(settings), FullSeconds, QuickSeconds),
        ];
    }

    private static long Documents(RunSettings settings) => settings.Pick(1_000_000, 50_000);
}
