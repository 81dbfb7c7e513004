using System.Collections;
using System.Net;
using System.Net.Sockets;
using System.Net.WebSockets;
using System.Runtime.Versioning;
using System.Text;
using System.Text.Json;
using Jackdaw.Server.Configuration;
using Jackdaw.Server.Endpoints.Changes;
using Jackdaw.Server.Hosting;
using Jackdaw.Server.Tests.Serving;
using Xunit.Abstractions;

namespace Jackdaw.Server.Tests.Endpoints.Changes;

/// <summary>Sockets of the Changes API on real connections, over Kestrel.</summary>
[Collection(MemoryMeasured.Name)]
[SupportedOSPlatform("linux")]
public sealed class IdleSocketTests(ITestOutputHelper output) : IAsyncLifetime
{
    private ServerScene _scene = null!;
    private HttpServer _http = null!;
    private int _port;

    public async Task InitializeAsync()
    {
        _scene = await ServerScene.OpenAsync();
        _scene.State.IsOpened = true;
        var configuration = ServerConfiguration.Read(["--RunInMemory=true"], new Hashtable()) with
        {
            ServerUrls = [new Uri("http://127.0.0.1:0")],
        };
        _http = new HttpServer(configuration, certificate: null, _scene.State.Gate);
        await _http.StartAsync(_scene.State.Dispatcher, bound => _port = new Uri(bound).Port);
    }

    public async Task DisposeAsync()
    {
        await _scene.State.Changes.DisposeAsync();
        await _http.DisposeAsync();
        await _scene.DisposeAsync();
    }

    [Fact]
    public async Task An_idle_socket_that_watches_a_document_keeps_less_than_7_KB_alive()
    {
        const int Sockets = 1000;
        // The client's end of a connection lives in this process, too.
        const int BytesOfTheClient = 500;
        var opened = new List<Socket>(2 * Sockets);
        await OpenAsync(opened, Sockets);
        var before = GC.GetTotalMemory(forceFullCollection: true);
        await OpenAsync(opened, Sockets);
        var live = (GC.GetTotalMemory(forceFullCollection: true) - before) / Sockets - BytesOfTheClient;
        output.WriteLine($"{live} bytes");

        Assert.Equal(2 * Sockets, _scene.Database.Attached<DatabaseChanges>()!.SocketCount);
        Assert.InRange(live, 1000, 7 << 10);
        opened.ForEach(socket => socket.Dispose());
        await Eventually.IsAsync(() => _scene.Database.Attached<DatabaseChanges>()!.SocketCount == 0);
    }

    [Fact]
    public async Task A_command_that_comes_with_the_handshake_is_carried_out()
    {
        using var socket = Connect();
        await socket.SendAsync(Handshake().Concat(Watch("users/1")).ToArray());
        await ReadUntilAsync(socket, "Confirm");
        await _scene.PutAsync([("users/1", "{}")]);

        Assert.Contains("\"users/1\"", await ReadUntilAsync(socket, "DocumentChange"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_connection_that_was_used_for_requests_before_becomes_a_socket_and_ends_as_one()
    {
        using var socket = Connect();
        for (var i = 0; i < 3; i++)
        {
            await socket.SendAsync(Encoding.ASCII.GetBytes($"GET /databases/db/stats HTTP/1.1\r\nHost: 127.0.0.1:{_port}\r\n\r\n"));
            await ReadUntilAsync(socket, "CountOfDocuments");
        }
        await socket.SendAsync(Handshake());
        await ReadUntilAsync(socket, "TopologyChange");
        // A close frame with nothing in it, masked.
        await socket.SendAsync(new byte[] { 0x88, 0x80, 1, 2, 3, 4 });

        var buffer = new byte[100];
        Assert.Equal(4, await socket.ReceiveAsync(buffer).WaitAsync(Eventually.Patience));
        Assert.Equal((byte)0x88, buffer[0]);
        Assert.Equal(0, await socket.ReceiveAsync(buffer).WaitAsync(Eventually.Patience));
        await Eventually.IsAsync(() => _scene.Database.Attached<DatabaseChanges>()!.SocketCount == 0);
    }

    [Fact]
    public async Task A_client_that_vanishes_takes_its_socket_with_it()
    {
        using (var socket = Connect())
        {
            await socket.SendAsync(Handshake());
            await ReadUntilAsync(socket, "TopologyChange");
            Assert.Equal(1, _scene.Database.Attached<DatabaseChanges>()!.SocketCount);
            socket.LingerState = new LingerOption(enable: true, seconds: 0);
        }
        await Eventually.IsAsync(() => _scene.Database.Attached<DatabaseChanges>()!.SocketCount == 0);
    }

    [Fact]
    public async Task The_servers_end_closes_sockets_before_their_connections()
    {
        using var client = new ClientWebSocket();
        await client.ConnectAsync(new Uri($"ws://127.0.0.1:{_port}/databases/db/changes"), default).WaitAsync(Eventually.Patience);
        var ending = _scene.State.Changes.DisposeAsync().AsTask();
        var buffer = new byte[4096];
        WebSocketReceiveResult read;
        do read = await client.ReceiveAsync(buffer, default).WaitAsync(Eventually.Patience);
        while (read.MessageType != WebSocketMessageType.Close);

        Assert.Equal(WebSocketCloseStatus.EndpointUnavailable, client.CloseStatus);
        await client.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, "", default);
        await ending.WaitAsync(Eventually.Patience);
    }

    private async Task OpenAsync(List<Socket> opened, int count)
    {
        var buffer = new byte[4096];
        for (var i = 0; i < count; i++)
        {
            var socket = Connect();
            opened.Add(socket);
            socket.Send(Handshake());
            socket.Send(Watch($"users/{opened.Count}"));
            for (var text = ""; !text.Contains("Confirm", StringComparison.Ordinal); )
                text += Encoding.UTF8.GetString(buffer, 0, socket.Receive(buffer));
        }
        await Eventually.IsAsync(() => _scene.Database.Attached<DatabaseChanges>()!.WatchCount == opened.Count);
    }

    private Socket Connect()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { ReceiveTimeout = 60_000 };
        socket.Connect(IPAddress.Loopback, _port);
        return socket;
    }

    private byte[] Handshake() =>
        Encoding.ASCII.GetBytes(
            $"GET /databases/db/changes HTTP/1.1\r\nHost: 127.0.0.1:{_port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );

    /// <summary>A masked frame.</summary>
    private static byte[] Watch(string id)
    {
        var command = Encoding.UTF8.GetBytes($$"""{"CommandId":1,"Command":"watch-doc","Param":{{JsonSerializer.Serialize(id)}}}""");
        byte[] mask = [1, 2, 3, 4];
        return [0x81, (byte)(0x80 | command.Length), .. mask, .. command.Select((one, i) => (byte)(one ^ mask[i % mask.Length]))];
    }

    private static async Task<string> ReadUntilAsync(Socket socket, string text)
    {
        var buffer = new byte[4096];
        var come = "";
        while (!come.Contains(text, StringComparison.Ordinal))
        {
            var read = await socket.ReceiveAsync(buffer).WaitAsync(Eventually.Patience);
            Assert.True(read > 0, come);
            come += Encoding.UTF8.GetString(buffer, 0, read);
        }
        return come;
    }
}
