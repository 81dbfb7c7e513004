using System.IO.Pipelines;
using System.Net.WebSockets;
using System.Text;
using System.Text.Json;
using Jackdaw.Server.Http;
using Jackdaw.Server.Http.Upgrading;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Jackdaw.Server.Tests.Serving;

/// <summary>A client of the Changes API without a network: the runtime's own WebSocket at the other end of two pipes, which hold a few
/// bytes when it does not read.</summary>
internal sealed class SocketClient : IAsyncDisposable
{
    private static readonly TimeSpan HangsAfter = TimeSpan.FromSeconds(30);

    private readonly Pipe _toServer = new(new PipeOptions(pauseWriterThreshold: 8192, resumeWriterThreshold: 4096));
    private readonly Pipe _toClient = new(new PipeOptions(pauseWriterThreshold: 8192, resumeWriterThreshold: 4096));
    private readonly Queue<JsonElement> _messages = new();
    private readonly Connection _connection;
    private readonly WebSocket _socket;
    private int _commandId;

    private SocketClient(RequestDispatcher dispatcher, string database, IReadOnlyDictionary<string, string>? headers)
    {
        Stream = new TwoWayStream(_toClient.Reader.AsStream(), _toServer.Writer.AsStream());
        _connection = new Connection(this);
        _socket = WebSocket.CreateFromStream(Stream, isServer: false, subProtocol: null, Timeout.InfiniteTimeSpan);
        Served = ServeAsync(dispatcher, database, headers);
    }

    /// <summary>The client's end of the connection, for bytes that no WebSocket would send.</summary>
    public Stream Stream { get; }

    /// <summary>Ends when the server is done with the connection.</summary>
    public Task Served { get; }

    public int Status { get; private set; }

    public string Body { get; private set; } = "";

    /// <summary>The server has broken the connection.</summary>
    public bool WasAborted { get; private set; }

    public WebSocketCloseStatus? CloseStatus => _socket.CloseStatus;

    public string? CloseReason => _socket.CloseStatusDescription;

    /// <summary>Connects, and reads the server's first message.</summary>
    public static async Task<SocketClient> ConnectAsync(ServerScene scene, string database = "db")
    {
        var client = Begin(scene, database);
        var features = await client.NextAsync();
        Assert.True(features.GetProperty("TopologyChange").GetBoolean());
        Assert.True(features.GetProperty("AggressiveCachingChange").GetBoolean());
        return client;
    }

    /// <summary>Connects, and reads nothing.</summary>
    public static SocketClient Begin(ServerScene scene, string database = "db", IReadOnlyDictionary<string, string>? headers = null) =>
        new(scene.State.Dispatcher, database, headers);

    /// <summary>Sends a command and does not wait; gives its id.</summary>
    public async Task<int> SendAsync(string command, string? parameter = null)
    {
        var id = ++_commandId;
        await SendTextAsync(
            JsonSerializer.Serialize(
                new Dictionary<string, object?>
                {
                    ["CommandId"] = id,
                    ["Command"] = command,
                    ["Param"] = parameter,
                }
            )
        );
        return id;
    }

    public async Task SendTextAsync(string text, bool endOfMessage = true) =>
        await _socket
            .SendAsync(Encoding.UTF8.GetBytes(text).AsMemory(), WebSocketMessageType.Text, endOfMessage, CancellationToken.None)
            .AsTask()
            .WaitAsync(HangsAfter);

    /// <summary>Sends a command and reads its confirmation, which must be the next message.</summary>
    public async Task DoAsync(string command, string? parameter = null)
    {
        var id = await SendAsync(command, parameter);
        var confirmation = await NextAsync();
        Assert.Equal("Confirm", confirmation.GetProperty("Type").GetString());
        Assert.Equal(id, confirmation.GetProperty("CommandId").GetInt32());
    }

    /// <summary>The next message, whichever frame it is in.</summary>
    public async Task<JsonElement> NextAsync()
    {
        while (_messages.Count == 0)
        {
            var frame = await ReadFrameAsync() ?? throw new InvalidOperationException($"Closed: {CloseStatus} {CloseReason}");
            using var json = JsonDocument.Parse(frame);
            Assert.Equal(JsonValueKind.Array, json.RootElement.ValueKind);
            foreach (var message in json.RootElement.EnumerateArray())
                _messages.Enqueue(message.Clone());
        }
        return _messages.Dequeue();
    }

    /// <summary>The next message's value, which must be of a type.</summary>
    public async Task<JsonElement> NextAsync(string type)
    {
        var message = await NextAsync();
        Assert.True(message.GetProperty("Type").GetString() == type, message.ToString());
        return message.GetProperty("Value");
    }

    /// <summary>The next notification of a document, as "Put users/1".</summary>
    public async Task<string> NextDocumentAsync()
    {
        var change = await NextAsync("DocumentChange");
        return $"{change.GetProperty("Type").GetString()} {change.GetProperty("Id").GetString()}";
    }

    /// <summary>The next message, which must be an error; its text.</summary>
    public async Task<string> NextErrorAsync()
    {
        var error = await NextAsync();
        Assert.Equal("Error", error.GetProperty("Type").GetString());
        Assert.Equal(error.GetProperty("Exception").GetString(), error.GetProperty("Error").GetString());
        return error.GetProperty("Exception").GetString()!;
    }

    /// <summary>Reads until the server closes; fails when a message comes instead.</summary>
    public async Task<(WebSocketCloseStatus? Code, string? Reason)> ClosedAsync()
    {
        Assert.Null(await ReadFrameAsync());
        return (CloseStatus, CloseReason);
    }

    /// <summary>Closes as a client does, and waits for the server's answer.</summary>
    public Task CloseAsync() => _socket.CloseAsync(WebSocketCloseStatus.NormalClosure, "", CancellationToken.None).WaitAsync(HangsAfter);

    public Task EndedAsync() => Served.WaitAsync(HangsAfter);

    /// <summary>The network breaks.</summary>
    public void Cut()
    {
        var broken = new ConnectionResetException("The connection was reset.");
        _toServer.Writer.Complete(broken);
        _toClient.Reader.Complete(broken);
    }

    /// <summary>The server breaks the connection.</summary>
    private void Break()
    {
        WasAborted = true;
        var broken = new ConnectionAbortedException();
        _toServer.Writer.Complete(broken);
        _toClient.Reader.Complete(broken);
    }

    public async ValueTask DisposeAsync()
    {
        _toServer.Writer.Complete();
        _toClient.Reader.Complete();
        await Served.WaitAsync(HangsAfter);
        _socket.Dispose();
    }

    /// <summary>The text of a whole message; null: a close frame.</summary>
    private async Task<byte[]?> ReadFrameAsync()
    {
        var text = new MemoryStream();
        var buffer = new byte[4096];
        while (true)
        {
            var read = await _socket.ReceiveAsync(buffer.AsMemory(), CancellationToken.None).AsTask().WaitAsync(HangsAfter);
            if (read.MessageType == WebSocketMessageType.Close)
                return null;
            text.Write(buffer, 0, read.Count);
            if (read.EndOfMessage)
                return text.ToArray();
        }
    }

    private async Task ServeAsync(RequestDispatcher dispatcher, string database, IReadOnlyDictionary<string, string>? headers)
    {
        var answer = new MemoryStream();
        var features = new FeatureCollection();
        var request = new HttpRequestFeature
        {
            Method = "GET",
            Path = $"/databases/{database}/changes",
            Protocol = "HTTP/1.1",
            Scheme = "http",
        };
        request.Headers.Connection = "Upgrade";
        request.Headers.Upgrade = "websocket";
        request.Headers.SecWebSocketVersion = "13";
        request.Headers.SecWebSocketKey = "dGhlIHNhbXBsZSBub25jZQ==";
        request.Headers.Host = "localhost:8080";
        foreach (var (name, value) in headers ?? new Dictionary<string, string>())
            request.Headers[name] = value;
        features.Set<IHttpRequestFeature>(request);
        features.Set<IHttpResponseFeature>(_connection);
        features.Set<IHttpResponseBodyFeature>(new StreamResponseBodyFeature(answer));
        features.Set<IHttpRequestLifetimeFeature>(_connection);
        features.Set<IHttpUpgradeFeature>(_connection);
        features.Set<IConnectionHandover>(_connection);
        var context = dispatcher.CreateContext(features);
        await Task.Yield();
        try
        {
            await dispatcher.ProcessRequestAsync(context);
            await context.Http.Response.BodyWriter.FlushAsync();
            Status = context.Http.Response.StatusCode;
            Body = Encoding.UTF8.GetString(answer.ToArray());
        }
        finally
        {
            dispatcher.DisposeContext(context, null);
            await _connection.EndHttpAsync();
            _toClient.Writer.Complete();
            _toServer.Reader.Complete();
        }
    }

    /// <summary>The server's end of the connection.</summary>
    private sealed class Connection(SocketClient client)
        : HttpResponseFeature,
            IHttpUpgradeFeature,
            IHttpRequestLifetimeFeature,
            IConnectionHandover
    {
        private bool _isUpgraded;
        private ConnectionDelegate? _protocol;

        public bool IsUpgradableRequest => true;

        public override bool HasStarted => _isUpgraded;

        public CancellationToken RequestAborted { get; set; }

        public Task<Stream> UpgradeAsync()
        {
            Assert.Equal("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", Headers.SecWebSocketAccept.ToString());
            StatusCode = StatusCodes.Status101SwitchingProtocols;
            _isUpgraded = true;
            return Task.FromResult(Stream.Null);
        }

        public void HandOver(ConnectionDelegate protocol) => _protocol = protocol;

        public Task EndHttpAsync() => _protocol?.Invoke(new HandedOver(client)) ?? Task.CompletedTask;

        public void Abort() => client.Break();
    }

    /// <summary>The same, after HTTP.</summary>
    private sealed class HandedOver : DefaultConnectionContext
    {
        private readonly SocketClient _client;

        public HandedOver(SocketClient client)
        {
            _client = client;
            Transport = new TwoWayPipe(client._toServer.Reader, client._toClient.Writer);
        }

        public override void Abort(ConnectionAbortedException abortReason) => _client.Break();
    }

    private sealed record TwoWayPipe(PipeReader Input, PipeWriter Output) : IDuplexPipe;

    private sealed class TwoWayStream(Stream read, Stream write) : Stream
    {
        public override bool CanRead => true;

        public override bool CanWrite => true;

        public override bool CanSeek => false;

        public override long Length => throw new NotSupportedException();

        public override long Position
        {
            get => throw new NotSupportedException();
            set => throw new NotSupportedException();
        }

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            read.ReadAsync(buffer, cancellationToken);

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
            write.WriteAsync(buffer, cancellationToken);

        public override Task FlushAsync(CancellationToken cancellationToken) => write.FlushAsync(cancellationToken);

        public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

        public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

        public override void Flush() { }

        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

        public override void SetLength(long value) => throw new NotSupportedException();
    }
}
