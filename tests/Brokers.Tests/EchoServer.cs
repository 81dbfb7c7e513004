using System.Net;
using System.Net.Sockets;

namespace Jackdaw.Brokers.Tests;

/// <summary>A server that answers every byte with itself and counts them.</summary>
internal sealed class EchoServer : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly Task _accepting;
    private int _received;

    public EchoServer()
    {
        _listener.Start();
        _accepting = AcceptAsync();
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    public int Received => Volatile.Read(ref _received);

    public async ValueTask DisposeAsync()
    {
        _listener.Stop();
        await _accepting;
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
                _ = EchoAsync(await _listener.AcceptTcpClientAsync());
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // Stopped.
        }
    }

    private async Task EchoAsync(TcpClient client)
    {
        using (client)
        {
            var buffer = new byte[1024];
            try
            {
                while (await client.GetStream().ReadAsync(buffer) is var read && read > 0)
                {
                    Interlocked.Add(ref _received, read);
                    await client.GetStream().WriteAsync(buffer.AsMemory(0, read));
                }
            }
            catch (IOException)
            {
                // Cut.
            }
        }
    }
}
