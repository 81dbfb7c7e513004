using System.Net;
using System.Net.Sockets;
using Jackdaw.Brokers;

namespace Jackdaw.Demo.Parts;

/// <summary>The server, on loopback.</summary>
internal sealed class ServerPart : IAsyncDisposable
{
    /// <summary>The port that documentation names, taken when it is free.</summary>
    private const int UsualPort = 8080;

    private const string Contract = "Server available on: ";

    private readonly PartProcess _process;
    private string? _url;

    private ServerPart(DemoFolder folder, int port) =>
        _process = PartProcess.Start(
            "server",
            new BrokerCommand(
                "dotnet",
                [
                    Checkout.At("src", "Server", "bin", "Release", "net10.0", "Jackdaw.Server.dll"),
                    $"--ServerUrl=http://127.0.0.1:{port}",
                    $"--DataDir={folder.Server}",
                ],
                new Dictionary<string, string>()
            ),
            folder,
            folder.Path,
            Read
        );

    /// <summary>Its address, without a slash at the end.</summary>
    public string Url => _url!;

    /// <summary>Starts it and waits until it answers.</summary>
    /// <param name="folder">Where its data is.</param>
    /// <param name="port">Null: the usual one if it is free, else any; 0: any.</param>
    /// <exception cref="DemoFailedException">It did not start.</exception>
    public static async Task<ServerPart> StartAsync(DemoFolder folder, int? port)
    {
        var server = new ServerPart(folder, port ?? (IsFree(UsualPort) ? UsualPort : 0));
        var isReady = false;
        try
        {
            await server._process.WaitAsync(() => server._url is not null);
            isReady = true;
            return server;
        }
        finally
        {
            if (!isReady)
                await server.DisposeAsync();
        }
    }

    public void RequireAlive() => _process.RequireAlive();

    public ValueTask DisposeAsync() => _process.DisposeAsync();

    private static bool IsFree(int port)
    {
        try
        {
            using var probe = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            probe.Bind(new IPEndPoint(IPAddress.Loopback, port));
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }

    private void Read(string line)
    {
        if (line.StartsWith(Contract, StringComparison.Ordinal))
            _url = line[Contract.Length..].TrimEnd('/');
    }
}
