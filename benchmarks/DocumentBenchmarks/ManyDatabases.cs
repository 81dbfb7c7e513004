using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;

namespace Jackdaw.Bench.DocumentBenchmarks;

internal sealed class ManyDatabases : Benchmark
{
    public override string Name => "many-databases";

    public override string Group => Catalogue.Documents;

    public override string Measures =>
        "a server on many databases: from its start to the first answer and to ready; its memory, threads and processor time while nothing happens";

    public override IReadOnlyList<Target> Targets =>
        [
            Target.ValueAtMost(ServerContender.Jackdaw, ServerManyDatabases.FirstAnswer, 10),
            Target.ValueAtMost(ServerContender.Jackdaw, ServerManyDatabases.Ready, 60),
            Target.ValueAtMost(ServerContender.Jackdaw, ServerManyDatabases.MemoryADatabase, 1),
            Target.ValueAtMost(ServerContender.Jackdaw, ServerManyDatabases.Threads, 30),
            Target.ValueAtMost(ServerContender.Jackdaw, ServerManyDatabases.IdleCpu, 1),
        ];

    public override int Runs(RunSettings settings) => 2;

    public override string Sizes(RunSettings settings) =>
        $"{Databases(settings):N0} databases of {Documents(settings):N0} documents of 1 KB";

    // Each also has its journal files, and a spare one.
    public override long DiskBytesNeeded(RunSettings settings) =>
        Databases(settings) * ((4 * Documents(settings) * DocumentBodies.Size) + (16L << 20));

    public override IReadOnlyList<Contender> CreateContenders(RunSettings settings) =>
        [new ServerManyDatabases(Databases(settings), Documents(settings))];

    private static int Databases(RunSettings settings) => settings.Pick(1_000, 50);

    private static long Documents(RunSettings settings) => settings.Pick(1_000, 100);
}
