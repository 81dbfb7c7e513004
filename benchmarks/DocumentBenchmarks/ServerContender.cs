using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>A contender that is this project's server as a process of its own.</summary>
internal abstract class ServerContender(string name) : Contender(name)
{
    public const string Jackdaw = "jackdaw";
    private ServerUnderTest? _server;

    protected ServerUnderTest Server => _server ?? throw new InvalidOperationException("the server was not started");

    /// <summary>Starts the server on a new data folder with one empty database; a server that runs is stopped and its folder
    /// removed.</summary>
    protected async Task StartNewAsync(RunContext context, CancellationToken cancel)
    {
        await CloseAsync();
        string data = DataDirectory(context);
        Workspace.Remove(data);
        _server = await ServerUnderTest.StartNewAsync(data, cancel);
    }

    /// <summary>Starts the server again on the data folder it had.</summary>
    protected async Task RestartAsync(RunContext context, CancellationToken cancel)
    {
        await CloseAsync();
        _server = await ServerUnderTest.StartAsync(DataDirectory(context), cancel);
    }

    /// <summary>Loads documents <c>items/0</c>, ... by bulk insert and requires that all are there.</summary>
    protected async Task LoadAsync(RunContext context, long count, CancellationToken cancel)
    {
        context.Progress($"loading {count:N0} documents");
        await Server.BulkInsertAsync(0, count, cancel);
        await Server.RequireCountAsync(count, cancel);
    }

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
            new HttpLoad(Server.Url, ServerUnderTest.Database, kind, connections, duration, run, documents),
            context.Directory,
            cancel
        );

    public override async Task CloseAsync()
    {
        if (_server is not null)
            await _server.DisposeAsync();
        _server = null;
    }

    protected static string DataDirectory(RunContext context) => Path.Combine(context.Directory, "data");
}
