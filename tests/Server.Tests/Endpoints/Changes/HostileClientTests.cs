using System.Buffers.Binary;
using System.Net.WebSockets;
using System.Text;
using Jackdaw.Server.Endpoints.Changes;
using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Endpoints.Changes;

/// <summary>Clients of the Changes API that break its rules, or do not read.</summary>
public sealed class HostileClientTests : IAsyncLifetime
{
    private static readonly ChangesLimits s_limits = new()
    {
        MaxCommandBytes = 4096,
        MaxWatchesPerSocket = 10,
        MaxWatchesPerDatabase = 15,
        MaxSocketsPerDatabase = 3,
        MaxQueuedNotifications = 100,
        MaxQueuedBytes = 20_000,
        MaxQueuedAnswers = 8,
        OwnQueuedBytes = 0,
    };

    private ServerScene _scene = null!;

    public async Task InitializeAsync() => _scene = await ServerScene.OpenAsync(changes: s_limits);

    public async Task DisposeAsync() => await _scene.DisposeAsync();

    [Theory]
    [InlineData("nonsense", "must be JSON")]
    [InlineData("", "must be JSON")]
    [InlineData("[]", "must be a JSON object")]
    [InlineData("{}", "must have a CommandId")]
    [InlineData("""{"CommandId":"1","Command":"watch-docs"}""", "must have a CommandId")]
    [InlineData("""{"CommandId":1e99,"Command":"watch-docs"}""", "must have a CommandId")]
    [InlineData("""{"CommandId":1}""", "must have a Command")]
    [InlineData("""{"CommandId":1,"Command":"watch-everything"}""", "There is no command 'watch-everything'")]
    [InlineData("""{"CommandId":1,"Command":"watch-\u0007"}""", "There is no command 'watch-\\u0007'")]
    [InlineData("""{"CommandId":1,"Command":"watch-doc"}""", "must name what is watched in its Param")]
    [InlineData("""{"CommandId":1,"Command":"watch-doc","Param":""}""", "must name what is watched in its Param")]
    [InlineData("""{"CommandId":1,"Command":"watch-doc","Param":"\uD800"}""", "must be JSON")]
    [InlineData("""{"CommandId":1,"Command":"watch-operation","Param":"-1"}""", "must be the id of an operation")]
    [InlineData("""{"CommandId":1,"Command":"watch-counters"}""", "Counters are not supported by this version")]
    [InlineData("""{"CommandId":1,"Command":"unwatch-all-timeseries"}""", "Time series are not supported by this version")]
    public async Task A_command_that_cannot_be_carried_out_is_an_error_and_the_socket_goes_on(string command, string error)
    {
        await using var client = await SocketClient.ConnectAsync(_scene);
        await client.SendTextAsync(command);

        Assert.Contains(error, await client.NextErrorAsync(), StringComparison.Ordinal);
        await client.DoAsync("watch-docs");
    }

    [Fact]
    public async Task A_name_that_no_document_or_index_can_have_is_refused_with_the_limit()
    {
        await using var client = await SocketClient.ConnectAsync(_scene);
        await client.SendAsync("watch-doc", new string('a', 513));
        Assert.Contains("512 bytes (Limits.MaxIdBytes, fixed)", await client.NextErrorAsync(), StringComparison.Ordinal);
        await client.SendAsync("watch-index", new string('a', 2049));
        Assert.Contains("2048 bytes (ChangesLimits.MaxIndexNameBytes, fixed)", await client.NextErrorAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Watches_are_bounded_for_a_socket_and_for_a_database_and_come_free_again()
    {
        await using var client = await SocketClient.ConnectAsync(_scene);
        var other = await SocketClient.ConnectAsync(_scene);
        for (var i = 0; i < 10; i++)
            await client.DoAsync("watch-doc", $"users/{i}");
        await client.SendAsync("watch-docs");
        Assert.Contains("10 things (ChangesLimits.MaxWatchesPerSocket, fixed)", await client.NextErrorAsync(), StringComparison.Ordinal);
        for (var i = 0; i < 5; i++)
            await other.DoAsync("watch-prefix", $"users/{i}");
        await other.SendAsync("watch-docs");
        Assert.Contains(
            "15 things together (ChangesLimits.MaxWatchesPerDatabase, fixed)",
            await other.NextErrorAsync(),
            StringComparison.Ordinal
        );
        await other.DisposeAsync();
        await client.DoAsync("unwatch-doc", "USERS/3");
        await client.DoAsync("watch-docs");

        Assert.Equal(10, Database.WatchCount);
    }

    [Fact]
    public async Task Sockets_of_a_database_are_bounded_and_come_free_again()
    {
        var clients = new List<SocketClient>();
        for (var i = 0; i < 3; i++)
            clients.Add(await SocketClient.ConnectAsync(_scene));
        await using (var refused = SocketClient.Begin(_scene))
        {
            await refused.EndedAsync();
            Assert.Equal(503, refused.Status);
            Assert.Contains("ChangesLimits.MaxSocketsPerDatabase", refused.Body, StringComparison.Ordinal);
        }
        clients[0].Cut();
        await clients[0].EndedAsync();
        clients[0] = await SocketClient.ConnectAsync(_scene);
        foreach (var client in clients)
            await client.DisposeAsync();
    }

    [Fact]
    public async Task A_message_in_fragments_with_a_ping_between_them_is_one_command()
    {
        await using var client = await SocketClient.ConnectAsync(_scene);
        await client.Stream.WriteAsync(Frame(0x01, """{"CommandId":1,"Comm"""));
        await client.Stream.WriteAsync(Frame(0x89, "are you there?"));
        await client.Stream.WriteAsync(Frame(0x00, "and\":\"watch-docs"));
        foreach (var one in Frame(0x80, "\"}"))
            await client.Stream.WriteAsync(new[] { one });

        Assert.Equal("Confirm", (await client.NextAsync()).GetProperty("Type").GetString());
        Assert.Equal(1, Database.WatchCount);
    }

    [Theory]
    [InlineData(0x01, 0x05, 1002, "not masked")]
    [InlineData(0xC1, 0x85, 1002, "reserved bit")]
    [InlineData(0x83, 0x85, 1002, "unknown kind 3")]
    [InlineData(0x80, 0x85, 1002, "continues no message")]
    [InlineData(0x09, 0x85, 1002, "control frame")]
    [InlineData(0x89, 0xFE, 1002, "control frame")]
    [InlineData(0x82, 0x85, 1003, "binary")]
    public async Task A_frame_that_breaks_the_protocol_closes_the_socket_with_the_reason(byte first, byte second, int code, string reason)
    {
        await using var client = await SocketClient.ConnectAsync(_scene);
        await client.Stream.WriteAsync(new[] { first, second });

        var (closed, why) = await client.ClosedAsync();
        Assert.Equal(code, (int)closed!);
        Assert.Contains(reason, why, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(4097)]
    [InlineData(1L << 40)]
    [InlineData(long.MaxValue)]
    [InlineData(-1)]
    public async Task A_message_that_is_too_long_is_refused_before_its_bytes_come(long length)
    {
        await using var client = await SocketClient.ConnectAsync(_scene);
        var header = new byte[10];
        (header[0], header[1]) = (0x81, 0xFF);
        BinaryPrimitives.WriteInt64BigEndian(header.AsSpan(2), length);
        await client.Stream.WriteAsync(header);

        var (closed, why) = await client.ClosedAsync();
        Assert.Equal(WebSocketCloseStatus.MessageTooBig, closed);
        Assert.Contains("4,096 bytes (ChangesLimits.MaxCommandBytes, fixed)", why, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Fragments_are_bounded_together()
    {
        await using var client = await SocketClient.ConnectAsync(_scene);
        await client.SendTextAsync(new string(' ', 3000), endOfMessage: false);
        await client.SendTextAsync(new string(' ', 1097), endOfMessage: false);

        Assert.Equal(WebSocketCloseStatus.MessageTooBig, (await client.ClosedAsync()).Code);
    }

    [Fact]
    public async Task A_client_that_does_not_read_loses_notifications_holds_no_memory_and_is_told_in_their_place()
    {
        // Several times of what the connection and the frames on their way hold.
        var limits = s_limits with
        {
            MaxQueuedNotifications = 400,
            MaxQueuedBytes = 80_000,
        };
        await using var scene = await ServerScene.OpenAsync(changes: limits);
        await using var client = await SocketClient.ConnectAsync(scene);
        await client.DoAsync("watch-docs");
        const int Written = 1000;
        const int Read = 150;
        for (var i = 0; i < Written; i += 50)
        {
            await scene.PutAsync(Enumerable.Range(i, 50).Select(n => ($"documents-of-a-client-that-does-not-read/{n:0000}", "{}")));
            Assert.InRange(scene.State.Changes.Memory.TakenBytes, 0, limits.MaxQueuedBytes);
        }
        await Eventually.IsAsync(() => SettledAsync(() => scene.State.Changes.Memory.Lost));

        // It reads a little: what happens then has room, and must still not come before the loss is told.
        for (var i = 0; i < Read; i++)
            Assert.Equal($"Put documents-of-a-client-that-does-not-read/{i:0000}", await client.NextDocumentAsync());
        var lost = scene.State.Changes.Memory.Lost;
        await scene.PutAsync([("meanwhile", "{}")]);
        await Eventually.IsAsync(() => scene.State.Changes.Memory.Lost > lost);
        lost++;
        for (var i = Read; i < Written + 1 - lost; i++)
            Assert.Equal($"Put documents-of-a-client-that-does-not-read/{i:0000}", await client.NextDocumentAsync());
        Assert.StartsWith($"{lost} notifications were lost", await client.NextErrorAsync(), StringComparison.Ordinal);
        Assert.Equal(0, scene.State.Changes.Memory.TakenBytes);
        await scene.PutAsync([("after", "{}")]);
        Assert.Equal("Put after", await client.NextDocumentAsync());
    }

    [Fact]
    public async Task That_cached_answers_are_old_is_never_lost()
    {
        await using var client = await SocketClient.ConnectAsync(_scene);
        await client.DoAsync("watch-docs");
        await client.DoAsync("watch-aggressive-caching");
        await _scene.PutAsync(Enumerable.Range(0, 1000).Select(n => ($"documents-of-a-client-that-does-not-read/{n:0000}", "{}")));
        await Eventually.IsAsync(() => _scene.State.Changes.Memory.Lost > 0);
        await Eventually.IsAsync(() => SettledAsync(() => _scene.State.Changes.Memory.Lost));

        while ((await client.NextAsync()).GetProperty("Type").GetString() != "AggressiveCacheChange") { }
    }

    [Fact]
    public async Task The_notifications_of_all_clients_are_bounded_together()
    {
        await using var scene = await ServerScene.OpenAsync(changes: s_limits with { MaxQueuedBytesOfAll = 10_000 });
        await using var one = await SocketClient.ConnectAsync(scene);
        await using var two = await SocketClient.ConnectAsync(scene);
        await one.DoAsync("watch-docs");
        await two.DoAsync("watch-docs");
        for (var i = 0; i < 20; i++)
        {
            await scene.PutAsync(Enumerable.Range(i * 50, 50).Select(n => ($"documents-of-a-client-that-does-not-read/{n:0000}", "{}")));
            Assert.InRange(scene.State.Changes.Memory.TakenBytes, 0, 10_000);
        }
        await Eventually.IsAsync(() => scene.State.Changes.Memory.Lost > 0);
        one.Cut();
        two.Cut();
        await Task.WhenAll(one.EndedAsync(), two.EndedAsync());

        Assert.Equal(0, scene.State.Changes.Memory.TakenBytes);
    }

    [Fact]
    public async Task Clients_that_do_not_read_take_no_notification_from_one_that_does()
    {
        var limits = s_limits with
        {
            MaxQueuedNotifications = 10_000,
            MaxQueuedBytesOfAll = 20_000,
            OwnQueuedBytes = 4096,
            FrameBytes = 500,
        };
        await using var scene = await ServerScene.OpenAsync(changes: limits);
        await using var stuck = await SocketClient.ConnectAsync(scene);
        await stuck.DoAsync("watch-docs");
        // First what the connection holds, which none of it loses; then nothing is sent any more, and all the memory is taken.
        await scene.PutAsync(Enumerable.Range(0, 100).Select(n => ($"documents-of-a-client-that-does-not-read/{n:0000}", "{}")));
        await Eventually.IsAsync(() => SettledAsync(() => scene.State.Changes.Memory.TakenBytes));
        await scene.PutAsync(Enumerable.Range(100, 900).Select(n => ($"documents-of-a-client-that-does-not-read/{n:0000}", "{}")));
        await Eventually.IsAsync(() => scene.State.Changes.Memory.Lost > 0);
        Assert.InRange(scene.State.Changes.Memory.TakenBytes, 15_000, 20_000);
        await using var reading = await SocketClient.ConnectAsync(scene);
        await reading.DoAsync("watch-docs");
        // Longer than the others: none fits in what these leave of the memory that all share.
        var name = new string('r', 300);
        for (var i = 0; i < 50; i++)
        {
            await scene.PutAsync([($"{name}/{i}", "{}")]);
            Assert.Equal($"Put {name}/{i}", await reading.NextDocumentAsync());
        }
    }

    [Fact]
    public async Task A_client_that_sends_commands_and_never_reads_is_not_read_any_further()
    {
        await using var client = await SocketClient.ConnectAsync(_scene);
        var sending = SendManyAsync();
        await Eventually.IsAsync(() => SettledAsync(() => Volatile.Read(ref _sent)));

        Assert.False(sending.IsCompleted);
        client.Cut();
        await client.EndedAsync();
        await Assert.ThrowsAnyAsync<Exception>(() => sending);

        async Task SendManyAsync()
        {
            while (true)
            {
                await client.SendAsync("watch-docs");
                Interlocked.Increment(ref _sent);
            }
        }
    }

    [Fact]
    public async Task A_connection_that_breaks_in_the_middle_of_a_frame_leaves_nothing_behind()
    {
        var client = await SocketClient.ConnectAsync(_scene);
        await client.DoAsync("watch-docs");
        await client.Stream.WriteAsync(Frame(0x81, """{"CommandId":1,"Command":"watch-""").AsMemory(0, 20));
        client.Cut();
        await client.EndedAsync();

        Assert.Equal(0, Database.SocketCount);
        Assert.Equal(0, Database.WatchCount);
        Assert.False(_scene.State.Changes.IsBeating);
    }

    [Fact]
    public async Task A_client_that_gives_no_sign_of_life_is_cut()
    {
        await using var client = await SocketClient.ConnectAsync(_scene);
        for (var beat = 0; beat < s_limits.MaxSilentHeartbeats; beat++)
        {
            _scene.State.Changes.Beat();
            Assert.False(client.WasAborted);
        }
        _scene.State.Changes.Beat();
        await client.EndedAsync();

        Assert.True(client.WasAborted);
        Assert.Equal(0, Database.SocketCount);
    }

    [Fact]
    public async Task A_client_that_answers_pings_is_kept()
    {
        await using var client = await SocketClient.ConnectAsync(_scene);
        // The client's WebSocket answers pings while it reads.
        var reading = client.NextAsync();
        for (var beat = 0; beat < 3 * s_limits.MaxSilentHeartbeats; beat++)
        {
            _scene.State.Changes.Beat();
            await Eventually.IsAsync(() => Database.LongestSilence == 0);
        }
        await client.SendAsync("watch-docs");

        Assert.Equal("Confirm", (await reading).GetProperty("Type").GetString());
    }

    [Fact]
    public async Task A_message_that_is_never_completed_closes_the_socket_although_bytes_come()
    {
        await using var client = await SocketClient.ConnectAsync(_scene);
        var frame = Frame(0x81, """{"CommandId":1,"Command":"watch-docs"}""");
        // Not by a WebSocket, which would answer pings in the middle of this frame.
        var closing = CloseFrameAsync(client.Stream);
        for (var beat = 0; beat <= s_limits.MaxIncompleteHeartbeats; beat++)
        {
            await client.Stream.WriteAsync(frame.AsMemory(beat, 1));
            await Eventually.IsAsync(() => Database.LongestSilence == 0);
            _scene.State.Changes.Beat();
        }

        Assert.Contains("longer than 60 s", await closing, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_request_for_no_WebSocket_and_a_page_of_another_origin_are_refused()
    {
        await using var plain = SocketClient.Begin(_scene, headers: new Dictionary<string, string> { ["Upgrade"] = "h2c" });
        await using var old = SocketClient.Begin(_scene, headers: new Dictionary<string, string> { ["Sec-WebSocket-Version"] = "8" });
        await using var keyless = SocketClient.Begin(_scene, headers: new Dictionary<string, string> { ["Sec-WebSocket-Key"] = "short" });
        await using var page = SocketClient.Begin(
            _scene,
            headers: new Dictionary<string, string> { ["Origin"] = "https://elsewhere.example" }
        );
        await Task.WhenAll(plain.EndedAsync(), old.EndedAsync(), keyless.EndedAsync(), page.EndedAsync());
        Assert.Equal([400, 400, 400, 403], [plain.Status, old.Status, keyless.Status, page.Status]);

        await using var own = SocketClient.Begin(_scene, headers: new Dictionary<string, string> { ["Origin"] = "http://localhost:8080" });
        Assert.True((await own.NextAsync()).GetProperty("TopologyChange").GetBoolean());
    }

    private int _sent;

    private DatabaseChanges Database => _scene.Database.Attached<DatabaseChanges>()!;

    /// <summary>A number has stopped growing.</summary>
    private static async Task<bool> SettledAsync(Func<long> number)
    {
        var before = number();
        await Task.Delay(300);
        return before > 0 && number() == before;
    }

    /// <summary>Reads short frames up to a close frame; gives its reason.</summary>
    private static async Task<string> CloseFrameAsync(Stream stream)
    {
        while (true)
        {
            var header = new byte[2];
            await stream.ReadExactlyAsync(header);
            var payload = new byte[header[1]];
            await stream.ReadExactlyAsync(payload);
            if (header[0] != 0x88)
                continue;
            Assert.Equal(1008, BinaryPrimitives.ReadUInt16BigEndian(payload));
            return Encoding.UTF8.GetString(payload.AsSpan(2));
        }
    }

    /// <summary>A masked frame.</summary>
    private static byte[] Frame(byte first, string text)
    {
        var payload = Encoding.UTF8.GetBytes(text);
        byte[] mask = [1, 2, 3, 4];
        return [first, (byte)(0x80 | payload.Length), .. mask, .. payload.Select((one, i) => (byte)(one ^ mask[i % 4]))];
    }
}
