using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading.Channels;

namespace Jackdaw.EventStreams.Client.Tests.Serving;

/// <summary>A server whose every answer the test gives: requests wait in <see cref="NextAsync"/>, in the order of their arrival.</summary>
internal sealed class FakeServer : IAsyncDisposable
{
    public const string DatabaseId = "0123456789abcdef+/x=yz";
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly Channel<FakeRequest> _requests = Channel.CreateUnbounded<FakeRequest>();
    private readonly List<TcpClient> _connections = [];
    private readonly Task _accepting;
    private int _count;

    public FakeServer()
    {
        _listener.Start();
        Url = new Uri($"http://127.0.0.1:{((IPEndPoint)_listener.LocalEndpoint).Port}/");
        _accepting = AcceptAsync();
    }

    public Uri Url { get; }

    /// <summary>Requests so far.</summary>
    public int Count => Volatile.Read(ref _count);

    public EventStreamsClientOptions Options =>
        new()
        {
            Url = Url,
            Database = "db",
            AttemptTimeout = Eventually.Patience,
        };

    public async Task<FakeRequest> NextAsync() => await _requests.Reader.ReadAsync().AsTask().WaitAsync(Eventually.Patience);

    public async ValueTask DisposeAsync()
    {
        _listener.Dispose();
        await _accepting;
        lock (_connections)
            _connections.ForEach(connection => connection.Dispose());
    }

    private async Task AcceptAsync()
    {
        while (true)
        {
            TcpClient connection;
            try
            {
                connection = await _listener.AcceptTcpClientAsync();
            }
            catch (Exception e) when (e is SocketException or ObjectDisposedException)
            {
                return;
            }
            lock (_connections)
                _connections.Add(connection);
            _ = ServeAsync(connection);
        }
    }

    private async Task ServeAsync(TcpClient connection)
    {
        try
        {
            using var reader = new StreamReader(connection.GetStream(), Encoding.Latin1, leaveOpen: true);
            while (await reader.ReadLineAsync() is { } line)
            {
                var parts = line.Split(' ');
                var length = 0;
                while (await reader.ReadLineAsync() is { Length: > 0 } header)
                {
                    if (header.StartsWith("Content-Length:", StringComparison.OrdinalIgnoreCase))
                        length = int.Parse(header[15..], System.Globalization.CultureInfo.InvariantCulture);
                }
                var body = new char[length];
                if (length > 0)
                    await reader.ReadBlockAsync(body);
                Interlocked.Increment(ref _count);
                var request = new FakeRequest(connection, parts[0], new Uri(Url, parts[1]), new string(body));
                _requests.Writer.TryWrite(request);
                await request.Answered;
            }
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException)
        {
            // The client has gone, or the test cut the connection.
        }
    }
}
