using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Peers;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>The skeleton (Kestrel, a JSON parse and one merged direct write) under the same PUTs.</summary>
internal sealed class SkeletonPuts(int connections, double fullSeconds, double quickSeconds) : Contender(RowName)
{
    public const string RowName = "skeleton";
    private ServerProcess? _process;

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        _process = await ServerProcess.StartAsync(typeof(SkeletonPuts).Assembly.Location,
            ["peer", "skeleton", "--port", "0", "--file", Path.Combine(context.Directory, "writes")], TimeSpan.FromSeconds(30), cancel);
        await HttpLoadGenerator.RunAsync(Load(context.Settings.Duration(5, 1), run: 0), context.Directory, cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        HttpLoadResult result = await HttpLoadGenerator.RunAsync(
            Load(context.Settings.Duration(fullSeconds, quickSeconds), context.Round), context.Directory, cancel);
        return result.ToSample();
    }

    public override async Task CloseAsync()
    {
        if (_process is not null)
            await _process.DisposeAsync();
    }

    private HttpLoad Load(TimeSpan duration, int run) =>
        new(_process!.Url, ServerUnderTest.Database, HttpLoadKind.PutDistinct, connections, duration, run, Documents: 0);
}
