using System.Globalization;
using Jackdaw.Server.Endpoints.EventStreams.Live;
using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Endpoints.EventStreams;

/// <summary>Heartbeats of live reads, and how clients, databases and the server end them.</summary>
public sealed class LiveEndingTests : IAsyncLifetime
{
    /// <summary>Clients that read are not hurried by a slow machine.</summary>
    private static readonly LiveReadLimits s_limits = new() { ClosingTime = Eventually.Patience };

    private ServerScene _scene = null!;

    private ServerLiveReads Live => _scene.State.LiveReads;

    public async Task InitializeAsync() => _scene = await ServerScene.OpenAsync(live: s_limits);

    public async Task DisposeAsync() => await _scene.DisposeAsync();

    [Fact]
    public async Task A_line_comes_at_the_latest_ten_seconds_after_the_one_before()
    {
        await using var client = await LiveClient.ConnectAsync(_scene, "?stream=a");
        var next = client.NextAsync();
        await AppendAsync("b", 1);
        await _scene.PutAsync([("documents/1", "{}")]);
        await Eventually.IsAsync(() => PassedAsync(2));

        _scene.LiveClock.Advance(TimeSpan.FromSeconds(8.9));
        Live.Beat();
        Assert.False(next.IsCompleted);
        _scene.LiveClock.Advance(TimeSpan.FromSeconds(0.1));
        Live.Beat();
        Assert.Equal("""{"heartbeat":true,"durable":2}""", (await next).GetRawText());

        _scene.LiveClock.Advance(TimeSpan.FromSeconds(5));
        await AppendAsync("a", 1);
        Assert.Equal("a/1", await client.NextEventAsync());
        next = client.NextAsync();
        _scene.LiveClock.Advance(TimeSpan.FromSeconds(5));
        Live.Beat();
        Assert.False(next.IsCompleted);
        _scene.LiveClock.Advance(TimeSpan.FromSeconds(5));
        await Eventually.IsAsync(() =>
        {
            Live.Beat();
            return next.IsCompleted;
        });
        Assert.Equal("""{"heartbeat":true,"durable":3}""", (await next).GetRawText());

        async Task<bool> PassedAsync(long position)
        {
            // Documents wake nobody: the beat finds out how far everything has been given.
            Live.Beat();
            await Task.Yield();
            return _scene.Database.Attached<DatabaseLiveReads>()!.Passed >= position;
        }
    }

    [Fact]
    public async Task A_database_that_is_disabled_ends_its_live_reads_and_refuses_others()
    {
        await using var idle = await LiveClient.ConnectAsync(_scene, "?stream=a");
        await using var woken = await LiveClient.ConnectAsync(_scene, "?wakeOnly=true");
        Assert.True(await _scene.State.Databases.SetDisabledAsync("db", true));

        Assert.Equal(("DatabaseDisabled", "The database 'db' was disabled."), await idle.EndAsync());
        Assert.Equal(("DatabaseDisabled", "The database 'db' was disabled."), await woken.EndAsync());
        Assert.False(idle.WasAborted || woken.WasAborted);
        Assert.Equal(503, (await _scene.SendAsync("GET", "/events/live")).Status);

        await _scene.State.Databases.SetDisabledAsync("db", false);
        await using var again = await LiveClient.ConnectAsync(_scene, "?after=0");
        await AppendAsync("a", 1);
        Assert.Equal("a/1", await again.NextEventAsync());
    }

    [Fact]
    public async Task A_database_that_is_deleted_ends_its_live_reads_and_only_its()
    {
        await _scene.State.Databases.CreateAsync("other", default);
        await using var other = await LiveClient.ConnectAsync(_scene, database: "OTHER");
        await using var client = await LiveClient.ConnectAsync(_scene);
        await _scene.State.Databases.DeleteAsync("db", hard: true);

        Assert.Equal(("DatabaseDeleted", "The database 'db' was deleted."), await client.EndAsync());
        Assert.Equal(404, (await _scene.SendAsync("GET", "/events/live")).Status);
        Assert.Equal(1, Live.ReaderCount);
        Assert.False(other.Served.IsCompleted);
    }

    [Fact]
    public async Task A_server_that_stops_ends_live_reads_also_in_the_middle_of_catching_up()
    {
        for (var number = 1; number <= 200; number++)
            await AppendAsync("a", number, new string('x', 5000));
        await using var idle = await LiveClient.ConnectAsync(_scene);
        await using var behind = await LiveClient.ConnectAsync(_scene, "?after=0");
        var ending = Live.DisposeAsync().AsTask();

        Assert.Equal(("ServerStopping", "The server is shutting down."), await idle.EndAsync());
        var lines = 0;
        for (var line = await behind.NextAsync(); !line.TryGetProperty("error", out _); line = await behind.NextAsync())
            Assert.Equal(++lines, line.GetProperty("number").GetInt64());
        Assert.InRange(lines, 1, 199);
        await ending;
    }

    [Fact]
    public async Task A_client_that_does_not_read_does_not_hold_up_the_closing_of_its_database()
    {
        await using var scene = await ServerScene.OpenAsync(live: s_limits with { ClosingTime = TimeSpan.FromMilliseconds(200) });
        await using var client = await LiveClient.ConnectAsync(scene);
        await using var other = await LiveClient.ConnectAsync(scene, "?stream=b");
        await AppendAsync("a", 1, new string('x', 100_000), scene);
        await Eventually.IsAsync(() => client.HasUnread);

        Assert.True(await scene.State.Databases.SetDisabledAsync("db", true).WaitAsync(Eventually.Patience));
        await client.Served.WaitAsync(Eventually.Patience);
        Assert.True(client.WasAborted);
        Assert.Equal("DatabaseDisabled", (await other.EndAsync()).Type);
        Assert.False(other.WasAborted, "the connection of a read that had ended was cut, whatever it was used for then");
        Assert.Equal(0, scene.State.LiveReads.ReaderCount);
    }

    [Fact]
    public async Task A_client_that_leaves_a_piece_unread_for_too_long_is_cut()
    {
        await using var blocked = await LiveClient.ConnectAsync(_scene);
        await using var idle = await LiveClient.ConnectAsync(_scene, "?stream=b");
        await AppendAsync("a", 1, new string('x', 100_000));
        await Eventually.IsAsync(() =>
        {
            _scene.LiveClock.Advance(s_limits.MaxBlockedTime);
            Live.Beat();
            return blocked.WasAborted;
        });

        await blocked.Served.WaitAsync(Eventually.Patience);
        Assert.False(idle.WasAborted);
        Assert.Equal(1, Live.ReaderCount);
    }

    [Fact]
    public async Task A_client_that_goes_away_frees_everything()
    {
        var idle = await LiveClient.ConnectAsync(_scene, "?stream=a&tag=t");
        var blocked = await LiveClient.ConnectAsync(_scene);
        await AppendAsync("b", 1, new string('x', 100_000));
        await Eventually.IsAsync(() => blocked.HasUnread);
        Assert.Equal(2, Live.ReaderCount);
        await idle.DisposeAsync();
        await blocked.DisposeAsync();

        Assert.Equal(0, Live.ReaderCount);
        Assert.Equal(0, _scene.Database.StorageStatistics().Readers);
        Assert.Equal(Math.Max(1, Environment.ProcessorCount / 2), _scene.State.ScanTurns.CurrentCount);
    }

    private Task<ServedAnswer> AppendAsync(string stream, long number, string payload = "p", ServerScene? scene = null) =>
        (scene ?? _scene).SendAsync(
            "POST",
            "/events",
            body: string.Create(
                CultureInfo.InvariantCulture,
                $$"""{"groups":[{"stream":"{{stream}}","first":{{number}},"events":[{"payload":"{{payload}}","tags":["t"]}]}]}"""
            )
        );
}
