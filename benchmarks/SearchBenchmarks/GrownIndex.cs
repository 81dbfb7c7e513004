using System.Globalization;
using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;

namespace Jackdaw.Bench.SearchBenchmarks;

internal sealed class GrownIndex : Benchmark
{
    private const int FullRuns = 3;
    private static readonly string s_small = Row(1_000_000);
    private static readonly string s_large = Row(10_000_000);

    public override string Name => "grown-index";

    public override string Group => Catalogue.Search;

    public override bool IsLarge => true;

    public override string Measures =>
        $"one index of two fields with a distinct value in each document (Number, and Token in random order) and one of two fields with few values "
        + $"(State, Region), over ten times as many documents of {SmallBodies.Size} bytes: queries on one connection over HTTP, and a step of "
        + $"{ServerGrownIndex.StepDocuments:N0} new documents, from enabling the index until it is not stale";

    public override IReadOnlyList<Target> Targets =>
        [
            Target.RatioAtMost(s_large, 1.2, ServerGrownIndex.OneMatch, s_small),
            Target.RatioAtMost(s_large, 1.2, ServerGrownIndex.AbsentToken, s_small),
            Target.RatioAtMost(s_large, 1.2, ServerGrownIndex.Range, s_small),
            Target.RatioAtMost(s_large, 1.2, ServerGrownIndex.Region, s_small),
            Target.RatioAtMost(s_large, 2, ServerGrownIndex.DistinctStep, s_small),
            Target.RatioAtMost(s_large, 1.2, ServerGrownIndex.FewStep, s_small),
        ];

    public override int Runs(RunSettings settings) => Math.Min(settings.Runs, FullRuns);

    public override string Sizes(RunSettings settings) => $"{Documents(settings):N0} and {10 * Documents(settings):N0} documents";

    public override long DiskBytesNeeded(RunSettings settings) => 11 * Documents(settings) * SmallBodies.Size * 5;

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [
            new ServerGrownIndex(s_small, Documents(settings)),
            // Named after the full size in quick mode, too, so that the figures to reach keep their names.
            new ServerGrownIndex(s_large, 10 * Documents(settings)),
        ];

    private static long Documents(RunSettings settings) => settings.Pick(1_000_000, 10_000);

    private static string Row(long documents) =>
        string.Create(CultureInfo.InvariantCulture, $"{ServerContender.Jackdaw}, {documents:N0} documents");
}
