using Jackdaw.Acceptance.Processes;
using Jackdaw.Brokers;

namespace Jackdaw.EventStreams.Client.Tests.Serving;

/// <summary>The real server in its own process, behind a proxy that cuts connections. A restarted server has the same address.</summary>
internal sealed class DatabaseScene : IAsyncDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-client-").FullName;
    private ServerUnderTest? _server;

    private DatabaseScene() { }

    public CuttingProxy Proxy { get; } = CuttingProxy.Start(0);

    public EventStreamsClientOptions Options =>
        new()
        {
            Url = new Uri($"http://127.0.0.1:{Proxy.Port}"),
            Database = "Actors",
            CreatesDatabase = true,
            // A bound that ends a hang: the machine may be slow.
            RepeatFor = Eventually.Patience,
            RepeatSnapshotsFor = Eventually.Patience,
        };

    public static async Task<DatabaseScene> StartAsync()
    {
        var scene = new DatabaseScene();
        await scene.StartServerAsync();
        await using var client = new EventStreamsClient(scene.Options);
        await client.WaitUntilReadyAsync();
        return scene;
    }

    public Task KillServerAsync() => _server!.KillAsync();

    public async Task StartServerAsync()
    {
        if (_server is not null)
            await _server.DisposeAsync();
        _server = await ServerUnderTest.StartAsync(_folder, []);
        Proxy.TargetPort = new Uri(_server.Url).Port;
    }

    public async ValueTask DisposeAsync()
    {
        await Proxy.DisposeAsync();
        if (_server is not null)
            await _server.DisposeAsync();
        Directory.Delete(_folder, recursive: true);
    }
}
