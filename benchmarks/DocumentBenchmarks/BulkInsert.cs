using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;

namespace Jackdaw.Bench.DocumentBenchmarks;

internal sealed class BulkInsert : Benchmark
{
    private const long PostgreSqlJournal = 9L << 30;

    public override string Name => "bulk-insert";

    public override string Group => Catalogue.Documents;

    public override string Measures =>
        "one bulk insert of 1 KB documents over HTTP, until the answer that all are durable; PostgreSQL: COPY of the same rows";

    public override IReadOnlyList<Target> Targets =>
        [Target.RatioAtLeast(ServerContender.Jackdaw, 1.5, Metric.Rate, PostgreSqlCopy.RowName)];

    public override string Sizes(RunSettings settings) =>
        $"{Documents(settings):N0} documents into an empty database; {NpmDocuments(settings):N0} by the npm client";

    public override long DiskBytesNeeded(RunSettings settings) =>
        settings.Pick(PostgreSqlJournal, 0) + 5 * Documents(settings) * DocumentBodies.Size;

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [new ServerBulkInsert(Documents(settings)), new PostgreSqlCopy(Documents(settings)), new NpmBulkInsert(NpmDocuments(settings))];

    private static long NpmDocuments(RunSettings settings) => settings.Pick(200_000, 20_000);

    private static long Documents(RunSettings settings) => settings.Pick(5_000_000, 100_000);
}
