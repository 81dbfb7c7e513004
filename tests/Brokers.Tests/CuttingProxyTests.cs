using System.Net.Sockets;

namespace Jackdaw.Brokers.Tests;

public sealed class CuttingProxyTests : IAsyncLifetime
{
    private readonly EchoServer _server = new();
    private CuttingProxy _proxy = null!;

    public Task InitializeAsync()
    {
        _proxy = CuttingProxy.Start(_server.Port);
        return Task.CompletedTask;
    }

    public async Task DisposeAsync()
    {
        await _proxy.DisposeAsync();
        await _server.DisposeAsync();
    }

    [Fact]
    public async Task Bytes_pass_both_ways_until_everything_is_cut_and_new_connections_pass_again()
    {
        using var first = await ConnectAsync();
        Assert.Equal("hello", await EchoAsync(first, "hello"));
        _proxy.CutAll();
        await AssertIsCutAsync(first);
        using var second = await ConnectAsync();
        Assert.Equal("again", await EchoAsync(second, "again"));
        Assert.Equal((2, 10L, 10L), (_proxy.ConnectionsMade, _proxy.BytesToServer, _proxy.BytesToClient));
    }

    [Fact]
    public async Task A_request_is_cut_in_its_middle()
    {
        using var client = await ConnectAsync();
        _proxy.CutAfterBytes(toServer: 3);
        await client.GetStream().WriteAsync("hello"u8.ToArray());
        await AssertIsCutAsync(client);
        await Eventually.IsAsync(() => _server.Received == 3);
        using var next = await ConnectAsync();
        Assert.Equal("hello", await EchoAsync(next, "hello"));
        Assert.Equal(1, _proxy.Cuts);
    }

    [Fact]
    public async Task An_answer_is_cut_before_its_first_byte()
    {
        using var client = await ConnectAsync();
        _proxy.CutAfterBytes(toClient: 0);
        await client.GetStream().WriteAsync("hello"u8.ToArray());
        await AssertIsCutAsync(client);
        Assert.Equal((5, 0L), (_server.Received, _proxy.BytesToClient));
    }

    [Fact]
    public async Task A_held_request_waits_while_others_pass_and_arrives_although_its_client_has_left()
    {
        using var other = await ConnectAsync();
        using (var client = await ConnectAsync())
        {
            _proxy.HeldBeginning = "POST ";
            await client.GetStream().WriteAsync("POST 1"u8.ToArray());
            await Eventually.IsAsync(() => _proxy.HeldRequests == 1);
            Assert.Equal("GET 1", await EchoAsync(other, "GET 1"));
            Assert.Equal(5, _server.Received);
        }
        _proxy.HeldBeginning = null;
        await Eventually.IsAsync(() => _server.Received == 11);
        Assert.Equal("POST 2", await EchoAsync(other, "POST 2"));
    }

    [Fact]
    public async Task Swallowed_answers_reach_nobody_and_their_connection_is_cut_afterwards()
    {
        using var client = await ConnectAsync();
        using var idle = await ConnectAsync();
        Assert.Equal("idle", await EchoAsync(idle, "idle"));
        _proxy.SwallowAnswers = true;
        await client.GetStream().WriteAsync("hello"u8.ToArray());
        await Eventually.IsAsync(() => _server.Received == 9 && _proxy.HasSwallowed);
        Assert.Equal(0, client.Available);
        _proxy.SwallowAnswers = false;
        await AssertIsCutAsync(client);
        Assert.Equal("still", await EchoAsync(idle, "still"));
    }

    [Fact]
    public async Task A_black_hole_holds_what_is_sent_until_it_opens()
    {
        using var client = await ConnectAsync();
        Assert.Equal("before", await EchoAsync(client, "before"));
        _proxy.Mode = ProxyMode.BlackHole;
        await client.GetStream().WriteAsync("hello"u8.ToArray());
        using var late = await ConnectAsync();
        await late.GetStream().WriteAsync("late"u8.ToArray());
        await Task.Delay(100);
        Assert.Equal((6, 0, 0), (_server.Received, client.Available, late.Available));
        _proxy.Mode = ProxyMode.Pass;
        Assert.Equal("hello", await ReadAsync(client, 5));
        Assert.Equal("late", await ReadAsync(late, 4));
    }

    [Fact]
    public async Task A_proxy_that_refuses_cuts_what_there_is_and_keeps_its_port()
    {
        using var client = await ConnectAsync();
        Assert.Equal("before", await EchoAsync(client, "before"));
        _proxy.Mode = ProxyMode.Refuse;
        await AssertIsCutAsync(client);
        var refusal = await Assert.ThrowsAsync<SocketException>(ConnectAsync);
        Assert.Equal(SocketError.ConnectionRefused, refusal.SocketErrorCode);
        _proxy.Mode = ProxyMode.Pass;
        using var next = await ConnectAsync();
        Assert.Equal("after", await EchoAsync(next, "after"));
    }

    private async Task<TcpClient> ConnectAsync()
    {
        var client = new TcpClient();
        await client.ConnectAsync("127.0.0.1", _proxy.Port).WaitAsync(Eventually.Patience);
        return client;
    }

    private static async Task<string> EchoAsync(TcpClient client, string text)
    {
        await client.GetStream().WriteAsync(System.Text.Encoding.ASCII.GetBytes(text));
        return await ReadAsync(client, text.Length);
    }

    private static async Task<string> ReadAsync(TcpClient client, int count)
    {
        var buffer = new byte[count];
        await client.GetStream().ReadExactlyAsync(buffer).AsTask().WaitAsync(Eventually.Patience);
        return System.Text.Encoding.ASCII.GetString(buffer);
    }

    private static async Task AssertIsCutAsync(TcpClient client)
    {
        var cut = await Assert.ThrowsAsync<IOException>(() =>
            client.GetStream().ReadExactlyAsync(new byte[100]).AsTask().WaitAsync(Eventually.Patience)
        );
        Assert.Equal(SocketError.ConnectionReset, Assert.IsType<SocketException>(cut.InnerException).SocketErrorCode);
    }
}
