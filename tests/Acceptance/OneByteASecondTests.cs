using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using Jackdaw.Acceptance.Processes;

namespace Jackdaw.Acceptance;

/// <summary>Clients that read one byte a second of long answers, beside writers that write more than scratch holds.</summary>
public sealed class OneByteASecondTests : IAsyncLifetime
{
    private const int Documents = 40_000;
    private const long ScratchLimit = 64L << 20;

    /// <summary>What a request may take while its client is slow.</summary>
    private const long MostRequestBytes = 16L << 20;

    private static readonly (string Method, string Path, string Body)[] s_requests =
    [
        ("GET", "/docs", ""),
        ("GET", "/docs?startsWith=items/&exclude=*7", ""),
        ("GET", "/streams/docs", ""),
        ("POST", "/queries", """{"Query":"from @all_docs"}"""),
        ("POST", "/queries", """{"Query":"from @all_docs order by id() desc"}"""),
        ("POST", "/queries", """{"Query":"from Items filter n >= 0"}"""),
        ("POST", "/streams/queries", """{"Query":"from Items where startsWith(id(), 'items/')"}"""),
        ("POST", "/multi_get", """{"Requests":[{"Url":"/databases/db/docs","Query":"?startsWith=items/"}]}"""),
    ];

    private readonly HttpClient _client = new() { Timeout = TimeSpan.FromMinutes(5) };
    private readonly CancellationTokenSource _end = new();
    private ServerUnderTest _server = null!;
    private WireDatabase _database = null!;
    private int _begun;

    public async Task InitializeAsync()
    {
        _server = await ServerUnderTest.StartAsync($"--Storage.MaxScratchSizeInMb={ScratchLimit >> 20}");
        using var created = await _client.PutAsync(
            $"{_server.Url}/admin/databases?name=db",
            new StringContent("""{"DatabaseName":"db"}""")
        );
        created.EnsureSuccessStatusCode();
        _database = new WireDatabase(_client, _server.Url, "db");
        var text = new string('x', 1000);
        for (var from = 0; from < Documents; from += 4000)
            await BatchAsync(
                Enumerable
                    .Range(from, 4000)
                    .Select(i => ($"items/{i}", $$$"""{"n":{{{i}}},"t":"{{{text}}}","@metadata":{"@collection":"Items"}}"""))
            );
    }

    public async Task DisposeAsync()
    {
        await _end.CancelAsync();
        await _server.DisposeAsync();
        _client.Dispose();
        _end.Dispose();
    }

    [Fact]
    public async Task Clients_that_read_one_byte_a_second_hold_no_reader_no_scratch_and_little_memory()
    {
        var before = await UsedAsync();
        var clients = s_requests.Select(request => Task.Run(() => ReadSlowlyAsync(request.Method, request.Path, request.Body))).ToList();
        // Each answer has begun and waits for its client.
        await Eventually.IsAsync(() => Volatile.Read(ref _begun) == clients.Count);
        await Eventually.IsAsync(async () => (await StorageAsync()).GetProperty("Readers").GetInt32() == 0);
        Assert.InRange(await UsedAsync() - before, long.MinValue, clients.Count * MostRequestBytes);

        // Four times what scratch holds: a reader that stays open would hold up flushing, and then every write.
        var large = new string('y', 64 << 10);
        for (var part = 0; part < 64; part++)
        {
            await BatchAsync(Enumerable.Range(0, 64).Select(i => ($"written/{i}", $$"""{"part":{{part}},"t":"{{large}}"}""")));
            await Eventually.IsAsync(async () => (await StorageAsync()).GetProperty("ScratchUsedBytes").GetInt64() < ScratchLimit / 2);
            Assert.Empty((await StorageAsync()).GetProperty("LongReaders").EnumerateArray());
        }

        await Eventually.IsAsync(async () => (await StorageAsync()).GetProperty("Readers").GetInt32() == 0);
        Assert.All(clients, client => Assert.False(client.IsCompleted, "It was no slow client."));
        await _end.CancelAsync();
        await Task.WhenAll(clients);
    }

    /// <summary>Ends when the test does; earlier only with the answer.</summary>
    private async Task ReadSlowlyAsync(string method, string path, string body)
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { ReceiveBufferSize = 4096 };
        var url = new Uri(_server.Url);
        await socket.ConnectAsync(IPAddress.Loopback, url.Port);
        await socket.SendAsync(
            Encoding.ASCII.GetBytes(
                $"{method} /databases/db{path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {body.Length}\r\nConnection: close\r\n\r\n{body}"
            )
        );
        var one = new byte[1];
        try
        {
            for (var isFirst = true; await socket.ReceiveAsync(one, _end.Token) > 0; isFirst = false)
            {
                if (isFirst)
                    Interlocked.Increment(ref _begun);
                await Task.Delay(TimeSpan.FromSeconds(1), _end.Token);
            }
        }
        catch (OperationCanceledException)
        {
            // The end of the test.
        }
    }

    private async Task BatchAsync(IEnumerable<(string Id, string Json)> documents)
    {
        var commands = documents.Select(one => $$"""{"Id":"{{one.Id}}","Type":"PUT","ChangeVector":null,"Document":{{one.Json}}}""");
        var answer = await _database.SendAsync("POST", "/bulk_docs", $$"""{"Commands":[{{string.Join(',', commands)}}]}""");
        Assert.True(answer.Status == HttpStatusCode.Created, answer.Text);
    }

    private async Task<JsonElement> StorageAsync() => (await _database.GetAsync("/debug/storage")).Json;

    /// <summary>Memory of the process's own, without the files that it maps and without scratch.</summary>
    private async Task<long> UsedAsync()
    {
        var scratch = (await StorageAsync()).GetProperty("ScratchAllocatedBytes").GetInt64();
        var line = File.ReadLines($"/proc/{_server.ProcessId}/status")
            .Single(line => line.StartsWith("RssAnon:", StringComparison.Ordinal));
        return (long.Parse(line["RssAnon:".Length..].Replace("kB", "", StringComparison.Ordinal), CultureInfo.InvariantCulture) * 1024)
            - scratch;
    }
}
