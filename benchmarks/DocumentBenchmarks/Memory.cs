using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;

namespace Jackdaw.Bench.DocumentBenchmarks;

internal sealed class Memory : Benchmark
{
    public override string Name => "memory";

    public override string Group => Catalogue.Documents;

    public override string Measures => "memory of the server process after loading documents by bulk insert and reading them at random";

    public override IReadOnlyList<Target> Targets =>
        [
            Target.ValueAtMost(RowName(Single), Metric.ManagedHeap, 150),
            Target.ValueAtMost(RowName(Single), Metric.AnonymousMemory, 400),
            Target.ValueAtMost(RowName(Double), Metric.ManagedHeap, 150),
            Target.ValueAtMost(RowName(Double), Metric.AnonymousMemory, 400),
        ];

    private const string Single = "one load";
    private const string Double = "twice the load";

    public override int Runs(RunSettings settings) => settings.Pick(settings.Runs, 1);

    public override string Sizes(RunSettings settings) => $"{Documents(settings):N0} and {2 * Documents(settings):N0} documents of 1 KB";

    public override long DiskBytesNeeded(RunSettings settings) => 9 * Documents(settings) * DocumentBodies.Size;

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [new ServerMemory(RowName(Single), Documents(settings)), new ServerMemory(RowName(Double), 2 * Documents(settings))];

    private static string RowName(string load) => "jackdaw, " + load;

    private static long Documents(RunSettings settings) => settings.Pick(1_000_000, 50_000);
}
