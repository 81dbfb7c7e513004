using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Peers;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>A contender that is one of this program's own peer processes under the same load as the server.</summary>
internal abstract class PeerContender(string name) : Contender(name)
{
    private static readonly TimeSpan ReadyLimit = TimeSpan.FromSeconds(30);
    private ServerProcess? _process;

    protected int ProcessId => _process!.Id;

    protected string Url => _process!.Url;

    protected async Task StartAsync(CancellationToken cancel, params string[] arguments) =>
        _process = await ServerProcess.StartAsync(
            typeof(PeerContender).Assembly.Location,
            ["peer", .. arguments, "--port", "0"],
            ReadyLimit,
            cancel
        );

    protected Task<HttpLoadResult> SendAsync(
        RunContext context,
        HttpLoadKind kind,
        int connections,
        TimeSpan duration,
        int run,
        long documents,
        CancellationToken cancel
    ) =>
        HttpLoadGenerator.RunAsync(
            new HttpLoad(_process!.Url, ServerUnderTest.Database, kind, connections, duration, run, documents),
            context.Directory,
            cancel
        );

    public override async Task CloseAsync()
    {
        if (_process is not null)
            await _process.DisposeAsync();
    }
}
