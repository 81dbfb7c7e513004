using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>The server under PUTs of distinct ids.</summary>
internal sealed class ServerPuts(string name, int connections, double fullSeconds, double quickSeconds) : Contender(name)
{
    private const int WarmUpRun = 1_000;
    private ServerUnderTest? _server;

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        _server = await ServerUnderTest.StartNewAsync(Path.Combine(context.Directory, "data"), cancel);
        await HttpLoadGenerator.RunAsync(Load(context.Settings.Duration(5, 1), WarmUpRun), context.Directory, cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        HttpLoadResult result = await HttpLoadGenerator.RunAsync(
            Load(context.Settings.Duration(fullSeconds, quickSeconds), context.Round), context.Directory, cancel);
        return result.ToSample();
    }

    public override async Task CloseAsync()
    {
        if (_server is not null)
            await _server.DisposeAsync();
    }

    private HttpLoad Load(TimeSpan duration, int run) =>
        new(_server!.Url, ServerUnderTest.Database, HttpLoadKind.PutDistinct, connections, duration, run, Documents: 0);
}
