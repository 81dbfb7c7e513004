using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Jackdaw.Etl.Tests.Kafka;

/// <summary>What a client sees of a broker that knows no transactions: it says what it speaks, which is to send, to fetch and to
/// name its brokers, and does no more.</summary>
internal sealed class OldKafka : IAsyncDisposable
{
    private const short Produce = 0,
        Fetch = 1,
        ListOffsets = 2,
        Metadata = 3,
        ApiVersions = 18;
    private const short UnsupportedVersion = 35;

    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _closing = new();
    private readonly Task _accepting;

    public OldKafka()
    {
        _listener.Start();
        _accepting = AcceptAsync();
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    /// <summary>Where it says that it is, as <c>localhost</c>; null: at its own port.</summary>
    public int? AdvertisedPort { get; set; }

    public async ValueTask DisposeAsync()
    {
        await _closing.CancelAsync();
        _listener.Dispose();
        await _accepting;
        _closing.Dispose();
    }

    private async Task AcceptAsync()
    {
        var serving = new List<Task>();
        try
        {
            while (true)
                serving.Add(ServeAsync(await _listener.AcceptTcpClientAsync(_closing.Token)));
        }
        catch (Exception e) when (e is OperationCanceledException or SocketException or ObjectDisposedException)
        {
            await Task.WhenAll(serving);
        }
    }

    private async Task ServeAsync(TcpClient accepted)
    {
        using var client = accepted;
        try
        {
            var stream = client.GetStream();
            byte[] size = new byte[4];
            while (true)
            {
                await stream.ReadExactlyAsync(size, _closing.Token);
                byte[] request = new byte[BinaryPrimitives.ReadInt32BigEndian(size)];
                await stream.ReadExactlyAsync(request, _closing.Token);
                short api = BinaryPrimitives.ReadInt16BigEndian(request),
                    version = BinaryPrimitives.ReadInt16BigEndian(request.AsSpan(2));
                byte[] answer = [.. request.AsSpan(4, 4), .. api == ApiVersions ? Spoken(version) : Brokers()];
                BinaryPrimitives.WriteInt32BigEndian(size, answer.Length);
                await stream.WriteAsync((byte[])[.. size, .. answer], _closing.Token);
            }
        }
        catch (Exception e) when (e is IOException or OperationCanceledException or SocketException)
        {
            // The client has gone, or the test is over.
        }
    }

    /// <summary>Version 0: an error, then of each request the versions from and to.</summary>
    private static byte[] Spoken(short version)
    {
        short[] spoken = [Produce, 0, 2, Fetch, 0, 2, ListOffsets, 0, 0, Metadata, 0, 1, ApiVersions, 0, 0];
        return
        [
            .. Number(version > 0 ? UnsupportedVersion : (short)0),
            .. Number(spoken.Length / 3),
            .. spoken.SelectMany(number => Number(number)),
        ];
    }

    /// <summary>Metadata of version 1: one broker without a rack, which is the controller, and no topic.</summary>
    private byte[] Brokers()
    {
        byte[] host = Encoding.ASCII.GetBytes("localhost");
        return
        [
            .. Number(1),
            .. Number(1),
            .. Number((short)host.Length),
            .. host,
            .. Number(AdvertisedPort ?? Port),
            .. Number((short)-1),
            .. Number(1),
            .. Number(0),
        ];
    }

    private static byte[] Number(short number)
    {
        byte[] bytes = new byte[2];
        BinaryPrimitives.WriteInt16BigEndian(bytes, number);
        return bytes;
    }

    private static byte[] Number(int number)
    {
        byte[] bytes = new byte[4];
        BinaryPrimitives.WriteInt32BigEndian(bytes, number);
        return bytes;
    }
}
