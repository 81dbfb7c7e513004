using System.Net.Sockets;
using System.Net.WebSockets;
using System.Text;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance;

/// <summary>The Changes API of a real server, over real connections.</summary>
public sealed class ChangesWireTests : IAsyncLifetime
{
    private static readonly TimeSpan HangsAfter = TimeSpan.FromMinutes(1);

    private readonly HttpClient _http = new();
    private ServerUnderTest _server = null!;
    private bool _isStopped;

    public async Task InitializeAsync()
    {
        _server = await ServerUnderTest.StartAsync();
        var created = await _http.PutAsync($"{_server.Url}/admin/databases?name=db", new StringContent("""{"DatabaseName":"db"}"""));
        Assert.True(created.IsSuccessStatusCode, await created.Content.ReadAsStringAsync());
    }

    public async Task DisposeAsync()
    {
        try
        {
            if (!_isStopped)
                Assert.Equal(0, await _server.StopAsync());
        }
        finally
        {
            _http.Dispose();
            await _server.DisposeAsync();
        }
    }

    [Fact]
    public async Task A_write_is_told_and_a_shutdown_closes_the_socket_with_the_reason()
    {
        using var socket = await WatchAsync("watch-docs");
        await PutAsync("users/1");
        Assert.Contains("\"Id\":\"users/1\"", await NextAsync(socket), StringComparison.Ordinal);
        _isStopped = true;
        var stopping = _server.StopAsync();

        Assert.Null(await NextAsync(socket));
        Assert.Equal(
            (WebSocketCloseStatus.EndpointUnavailable, "The server is shutting down."),
            (socket.CloseStatus, socket.CloseStatusDescription)
        );
        await socket.CloseAsync(WebSocketCloseStatus.NormalClosure, null, default);
        Assert.Equal(0, await stopping);
    }

    [Fact]
    public async Task A_message_that_is_too_large_closes_the_socket_and_a_cut_connection_is_forgotten()
    {
        using var large = await WatchAsync("watch-docs");
        var sending = large.SendAsync(new byte[1 << 20], WebSocketMessageType.Text, true, default);
        Assert.Null(await NextAsync(large));
        Assert.Equal(WebSocketCloseStatus.MessageTooBig, large.CloseStatus);
        Assert.Contains("ChangesLimits.MaxCommandBytes", large.CloseStatusDescription, StringComparison.Ordinal);
        await Task.WhenAny(sending);
        using var cut = await WatchAsync("watch-docs");
        cut.Abort();

        await Eventually.IsAsync(async () => await MetricAsync("jackdaw_changes_sockets") == 0);
        Assert.Equal(0, await MetricAsync("jackdaw_changes_watches"));
    }

    [Fact]
    public async Task A_client_that_does_not_read_is_told_what_it_has_lost_when_it_reads()
    {
        using var socket = await WatchAsync("watch-docs", ReceiveBufferBytes);
        var load = Enumerable
            .Range(0, 60_000)
            .Select(i => $$$"""{"Id":"a-document-with-quite-a-long-name/{{{i}}}","Type":"PUT","Document":{}}""");
        for (var round = 0; await MetricAsync("jackdaw_changes_lost_total") == 0; round++)
        {
            Assert.True(round < 20, "nothing is ever lost");
            var loaded = await _http.PostAsync($"{_server.Url}/databases/db/bulk_insert", new StringContent($"[{string.Join(',', load)}]"));
            Assert.True(loaded.IsSuccessStatusCode, await loaded.Content.ReadAsStringAsync());
        }
        Assert.InRange(await MetricAsync("jackdaw_changes_queued_bytes"), 0, 64 << 20);

        string? message;
        do
        {
            message = await NextAsync(socket);
            Assert.NotNull(message);
        } while (!message.Contains("notifications were lost", StringComparison.Ordinal));
        // What came after the loss waits for the client, too, and is gone when it has read on.
        var next = NextAsync(socket);
        await EtlWireTests.UntilAsync(
            async () =>
            {
                while (next.IsCompletedSuccessfully)
                {
                    Assert.NotNull(await next);
                    next = NextAsync(socket);
                }
                return await MetricAsync("jackdaw_changes_queued_bytes") == 0;
            },
            async () => $"{await MetricAsync("jackdaw_changes_queued_bytes")} bytes still wait for a client that reads"
        );
        _ = next.ContinueWith(static ended => ended.Exception, TaskScheduler.Default);
    }

    private const int ReceiveBufferBytes = 4096;

    /// <summary>A socket whose first watch is confirmed.</summary>
    private async Task<ClientWebSocket> WatchAsync(string command, int? receiveBufferBytes = null)
    {
        var socket = new ClientWebSocket();
        socket.Options.KeepAliveInterval = Timeout.InfiniteTimeSpan;
        using var handler = new SocketsHttpHandler();
        if (receiveBufferBytes is { } bytes)
            handler.ConnectCallback = async (context, cancellation) =>
            {
                var connection = new Socket(SocketType.Stream, ProtocolType.Tcp) { ReceiveBufferSize = bytes };
                await connection.ConnectAsync(context.DnsEndPoint, cancellation);
                return new NetworkStream(connection, ownsSocket: true);
            };
        using var invoker = new HttpMessageInvoker(handler, disposeHandler: false);
        var url = new Uri(_server.Url.Replace("http://", "ws://", StringComparison.Ordinal) + "/databases/DB/changes");
        await socket.ConnectAsync(url, invoker, default).WaitAsync(HangsAfter);
        Assert.Contains("\"TopologyChange\":true", await NextAsync(socket), StringComparison.Ordinal);
        var text = JsonSerializer.Serialize(new { CommandId = 1, Command = command });
        await socket.SendAsync(Encoding.UTF8.GetBytes(text), WebSocketMessageType.Text, true, default);
        Assert.Equal("""[{"Type":"Confirm","CommandId":1}]""", await NextAsync(socket));
        return socket;
    }

    private static async Task<string?> NextAsync(ClientWebSocket socket)
    {
        var text = new MemoryStream();
        var buffer = new byte[8192];
        while (true)
        {
            var read = await socket.ReceiveAsync(buffer.AsMemory(), default).AsTask().WaitAsync(HangsAfter);
            if (read.MessageType == WebSocketMessageType.Close)
                return null;
            text.Write(buffer, 0, read.Count);
            if (read.EndOfMessage)
                return Encoding.UTF8.GetString(text.ToArray());
        }
    }

    private async Task PutAsync(string id)
    {
        var answer = await _http.PutAsync($"{_server.Url}/databases/db/docs?id={id}", new StringContent("{}"));
        Assert.True(answer.IsSuccessStatusCode, await answer.Content.ReadAsStringAsync());
    }

    private async Task<long> MetricAsync(string name)
    {
        var text = await _http.GetStringAsync($"{_server.Url}/metrics");
        var line = text.Split('\n').Single(line => line.StartsWith(name + " ", StringComparison.Ordinal));
        return long.Parse(line[(name.Length + 1)..]);
    }
}
