using Jackdaw.Acceptance.Processes;
using Jackdaw.Brokers;

namespace Jackdaw.Actors.Tests.Faults;

/// <summary>A server behind a proxy, which can be killed and started again while its address stays the same.</summary>
internal sealed class FaultyServer : IAsyncDisposable
{
    public const string Database = "Actors";

    private readonly string _folder = Directory.CreateTempSubdirectory("jackdaw-actors-").FullName;
    private ServerUnderTest? _server;

    /// <summary>What stands before the server.</summary>
    public CuttingProxy Proxy { get; private set; } = null!;

    /// <summary>The proxy's address.</summary>
    public string Url => $"http://127.0.0.1:{Proxy.Port}";

    /// <summary>The server's own address, past the proxy; another one after each restart.</summary>
    public string DirectUrl => _server!.Url;

    public int ProcessId => _server!.ProcessId;

    public static async Task<FaultyServer> StartAsync()
    {
        var faulty = new FaultyServer();
        await faulty.RestartAsync();
        return faulty;
    }

    /// <summary>kill -9.</summary>
    public async Task KillAsync()
    {
        await _server!.KillAsync();
        await _server.DisposeAsync();
        _server = null;
    }

    public async Task RestartAsync()
    {
        _server = await ServerUnderTest.StartAsync(_folder, []);
        var port = new Uri(_server.Url).Port;
        if (Proxy is null)
            Proxy = CuttingProxy.Start(port);
        else
            Proxy.TargetPort = port;
    }

    public async ValueTask DisposeAsync()
    {
        await Proxy.DisposeAsync();
        if (_server is not null)
            await _server.DisposeAsync();
        Directory.Delete(_folder, recursive: true);
    }
}
