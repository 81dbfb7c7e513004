using System.Diagnostics;
using System.Net;
using System.Net.Http.Json;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance;

/// <summary>Clients that break off, dawdle, or just hold their connection.</summary>
public sealed class CutConnectionTests : IAsyncLifetime
{
    private readonly HttpClient _client = new();
    private ServerUnderTest _server = null!;

    public async Task InitializeAsync()
    {
        _server = await ServerUnderTest.StartAsync("--RunInMemory=true");
        (
            await _client.PutAsync($"{_server.Url}/admin/databases?name=db", new StringContent("""{"DatabaseName":"db"}"""))
        ).EnsureSuccessStatusCode();
    }

    public async Task DisposeAsync()
    {
        _client.Dispose();
        await _server.DisposeAsync();
    }

    [Fact]
    public async Task A_bulk_insert_cut_in_the_middle_keeps_what_was_stored_and_tells_the_rest()
    {
        var id = await NextOperationIdAsync();
        using (var socket = await ConnectAsync())
        {
            await using var stream = new NetworkStream(socket, ownsSocket: false);
            await stream.WriteAsync(
                Encoding.ASCII.GetBytes(
                    $"POST /databases/db/bulk_insert?id={id} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                )
            );
            await WriteChunkAsync(
                stream,
                "["
                    + string.Join(
                        ",",
                        Enumerable.Range(0, 100).Select(i => $"{{\"Id\":\"cut/{i}\",\"Type\":\"PUT\",\"Document\":{{\"i\":{i}}}}}")
                    )
            );
            await Eventually.IsAsync(() => IsKnownAsync(id));
            await Eventually.IsAsync(async () =>
                (await StateAsync(id)).GetProperty("Progress").GetProperty("DocumentsProcessed").GetInt32() == 100
            );
            await WriteChunkAsync(stream, ",{\"Id\":\"cut/100\",\"Type\":\"PUT\",\"Docu");
            socket.Close(0);
        }
        JsonElement state = default;
        await Eventually.IsAsync(async () => (state = await StateAsync(id)).GetProperty("Status").GetString() != "InProgress");
        Assert.Equal("Faulted", state.GetProperty("Status").GetString());
        Assert.Contains("100 documents were stored", state.GetProperty("Result").GetProperty("Message").GetString());
        Assert.EndsWith("BulkInsertAbortedException", state.GetProperty("Result").GetProperty("Type").GetString());
        Assert.Equal(HttpStatusCode.OK, (await _client.GetAsync($"{_server.Url}/databases/db/docs?id=cut/99")).StatusCode);
        Assert.Equal(HttpStatusCode.NotFound, (await _client.GetAsync($"{_server.Url}/databases/db/docs?id=cut/100")).StatusCode);
    }

    [Fact]
    public async Task A_bulk_insert_whose_array_does_not_end_is_an_error_that_tells_what_was_stored()
    {
        using var answer = await _client.PostAsync(
            $"{_server.Url}/databases/db/bulk_insert",
            new StringContent("""[{"Id":"half/1","Type":"PUT","Document":{}},{"Id":"half/2","Type":"PUT","Doc""")
        );
        Assert.Equal(HttpStatusCode.BadRequest, answer.StatusCode);
        Assert.Contains("1 documents were stored", await answer.Content.ReadAsStringAsync());
    }

    [Fact]
    public async Task A_bulk_insert_killed_by_its_client_is_cancelled()
    {
        var id = await NextOperationIdAsync();
        using var socket = await ConnectAsync();
        await using var stream = new NetworkStream(socket, ownsSocket: false);
        await stream.WriteAsync(
            Encoding.ASCII.GetBytes(
                $"POST /databases/db/bulk_insert?id={id} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
            )
        );
        await WriteChunkAsync(stream, "[");
        await Eventually.IsAsync(async () =>
            (await _client.GetAsync($"{_server.Url}/databases/db/operations/state?id={id}")).IsSuccessStatusCode
        );
        Assert.Equal(
            HttpStatusCode.NoContent,
            (await _client.PostAsync($"{_server.Url}/databases/db/operations/kill?id={id}", null)).StatusCode
        );
        await Eventually.IsAsync(async () => (await StateAsync(id)).GetProperty("Status").GetString() == "Canceled");
        var answer = new byte[4096];
        var read = await stream.ReadAsync(answer).AsTask().WaitAsync(Eventually.Patience);
        Assert.Contains("BulkInsertAbortedException", Encoding.UTF8.GetString(answer, 0, read));
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task Ten_thousand_idle_connections_and_slow_ones_do_not_slow_the_others_down()
    {
        var alone = await MedianReadAsync();
        var idle = new List<Socket>();
        try
        {
            for (var i = 0; i < 10_000; i++)
                idle.Add(await ConnectAsync());
            var dawdling = idle.Take(50).ToList();
            foreach (var socket in dawdling)
                await socket.SendAsync(
                    Encoding.ASCII.GetBytes("PUT /databases/db/docs?id=slow/1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
                );
            for (var second = 0; second < 3; second++)
            {
                foreach (var socket in dawdling)
                    await socket.SendAsync(" "u8.ToArray());
                await Task.Delay(1000);
            }
            // Twenty times leaves room for a busy machine, ten attempts for one that had something else to do; a server that
            // served them in turn would take seconds each time.
            var among = await MedianReadAsync();
            for (var i = 0; i < 10 && among >= alone * 20 + TimeSpan.FromMilliseconds(20); i++)
                among = await MedianReadAsync();
            Assert.True(
                among < alone * 20 + TimeSpan.FromMilliseconds(20),
                $"{alone.TotalMilliseconds} ms alone, {among.TotalMilliseconds} ms among them"
            );
        }
        finally
        {
            foreach (var socket in idle)
                socket.Dispose();
        }
    }

    private static async Task WriteChunkAsync(NetworkStream stream, string text)
    {
        var bytes = Encoding.UTF8.GetBytes(text);
        await stream.WriteAsync(Encoding.ASCII.GetBytes($"{bytes.Length:x}\r\n"));
        await stream.WriteAsync(bytes);
        await stream.WriteAsync("\r\n"u8.ToArray());
        await stream.FlushAsync();
    }

    private async Task<TimeSpan> MedianReadAsync()
    {
        var times = new List<TimeSpan>();
        for (var i = 0; i < 200; i++)
        {
            var clock = Stopwatch.GetTimestamp();
            await _client.GetAsync($"{_server.Url}/databases/db/docs?id=none");
            times.Add(Stopwatch.GetElapsedTime(clock));
        }
        return times.Order().ElementAt(100);
    }

    private async Task<long> NextOperationIdAsync() =>
        (await _client.GetFromJsonAsync<JsonElement>($"{_server.Url}/databases/db/operations/next-operation-id"))
            .GetProperty("Id")
            .GetInt64();

    /// <summary>False until the server has read the head of the request that begins the operation.</summary>
    private async Task<bool> IsKnownAsync(long id)
    {
        using var answer = await _client.GetAsync($"{_server.Url}/databases/db/operations/state?id={id}");
        return answer.IsSuccessStatusCode;
    }

    private Task<JsonElement> StateAsync(long id) =>
        _client.GetFromJsonAsync<JsonElement>($"{_server.Url}/databases/db/operations/state?id={id}");

    private async Task<Socket> ConnectAsync()
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(IPAddress.Loopback, new Uri(_server.Url).Port);
        return socket;
    }
}
