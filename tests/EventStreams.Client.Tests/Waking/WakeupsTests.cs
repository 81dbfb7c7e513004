using Jackdaw.EventStreams.Client.Appending;
using Jackdaw.EventStreams.Client.Tests.Serving;
using Jackdaw.EventStreams.Client.Waking;

namespace Jackdaw.EventStreams.Client.Tests.Waking;

/// <summary>Readers are woken by the real server, over one connection.</summary>
public sealed class WakeupsTests : IAsyncLifetime
{
    private static readonly TimeSpan Never = TimeSpan.FromHours(1);
    private DatabaseScene _scene = null!;
    private EventStreamsClient _client = null!;

    public async Task InitializeAsync()
    {
        _scene = await DatabaseScene.StartAsync();
        _client = new EventStreamsClient(_scene.Options);
    }

    public async Task DisposeAsync()
    {
        await _client.DisposeAsync();
        await _scene.DisposeAsync();
    }

    [Fact]
    public async Task All_readers_are_woken_by_one_connection_when_something_was_stored()
    {
        using var follower = _client.Wakeups.Follow();
        using var another = _client.Wakeups.Follow();
        await ConnectedAsync(1);
        Task[] readers = [.. Enumerable.Range(0, 20).Select(i => WaitAsync(i % 2 == 0 ? follower : another))];
        Assert.DoesNotContain(readers, reader => reader.IsCompleted);

        await AppendAsync("a", 1);
        await Task.WhenAll(readers).WaitAsync(Eventually.Patience);
        await Eventually.IsAsync(() => _client.Wakeups.Durable == 1);
        Assert.Equal(1, _client.Wakeups.Connections);
    }

    [Fact]
    public async Task What_is_stored_in_a_stream_or_with_a_tag_wakes_only_those_who_follow_it()
    {
        using var stream = _client.Wakeups.FollowStream("a/ä&b");
        using var other = _client.Wakeups.FollowStream("other");
        using var tags = _client.Wakeups.FollowTags(["red", "green"]);
        await ConnectedAsync(1);
        var (marked, untouched) = (other.Mark(), WaitAsync(other));

        var waiting = WaitAsync(stream);
        await AppendAsync("a/ä&b", 1);
        await waiting.WaitAsync(Eventually.Patience);
        waiting = WaitAsync(tags);
        await AppendAsync("b", 1, "green");
        await waiting.WaitAsync(Eventually.Patience);
        // Later than what would have woken it.
        await AppendAsync("nobody's", 1);
        waiting = WaitAsync(tags);
        await AppendAsync("b", 2, "red");
        await waiting.WaitAsync(Eventually.Patience);

        Assert.False(untouched.IsCompleted);
        Assert.Equal(marked, other.Mark());
        Assert.Equal(1, _client.Wakeups.Connections);
    }

    [Fact]
    public async Task Followers_who_come_later_share_a_new_connection_and_are_woken_once_the_server_knows_of_them()
    {
        using var first = _client.Wakeups.FollowStream("first");
        await ConnectedAsync(1);
        Follower[] later = [.. Enumerable.Range(0, 50).Select(i => _client.Wakeups.FollowStream($"{i}"))];
        long[] marks = [.. later.Select(one => one.Mark())];
        await ConnectedAsync(2);
        // What was stored between their reading and the connection might have been missed.
        for (var i = 0; i < later.Length; i++)
            await later[i].WaitAsync(marks[i], Never, CancellationToken.None).WaitAsync(Eventually.Patience);
        using var known = _client.Wakeups.FollowStream("first");
        var waiting = WaitAsync(known);
        await AppendAsync("first", 1);
        await waiting.WaitAsync(Eventually.Patience);
        Assert.Equal(2, _client.Wakeups.Connections);
    }

    [Fact]
    public async Task More_names_than_one_connection_may_have_are_followed_all_the_same()
    {
        var @long = new string('x', 900);
        Follower[] followers = [.. Enumerable.Range(0, 300).Select(i => _client.Wakeups.FollowStream(i < 290 ? $"{i}" : $"{@long}{i}"))];
        await ConnectedAsync(1);
        foreach (var i in new[] { 0, 150, 255, 256, 289, 299 })
        {
            var waiting = WaitAsync(followers[i]);
            await AppendAsync(i < 290 ? $"{i}" : $"{@long}{i}", 1);
            await waiting.WaitAsync(Eventually.Patience);
        }
        Assert.Equal(1, _client.Wakeups.Connections);
    }

    /// <summary>Followers come and go, connections are cut; each reads its stream or tag until it has seen all, and waits without a limit
    /// in between: one wake that is lost is a hang.</summary>
    [Theory]
    [Trait("Category", "Slow")]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task No_wake_is_lost_while_followers_come_and_go_and_connections_are_cut(int seed)
    {
        const int Streams = 6;
        const int Events = 120;
        var random = new Random(seed);
        using var isOver = new CancellationTokenSource();
        var cutting = Task.Run(async () =>
        {
            while (!isOver.IsCancellationRequested)
            {
                await Task.Delay(random.Next(400));
                _scene.Proxy.CutAll();
            }
        });
        var writing = Task.WhenAll(
            Enumerable
                .Range(0, Streams)
                .Select(async stream =>
                {
                    for (var number = 1; number <= Events; number++)
                    {
                        await AppendAsync($"s{stream}", number, $"t{stream % 2}");
                        if (number % 10 == stream)
                            await Task.Delay(7);
                    }
                })
        );
        var reading = Task.WhenAll(
            Enumerable.Range(0, 12).Select(reader => Task.Run(() => FollowAsync(new Random((100 * seed) + reader), Streams, Events)))
        );
        await writing;
        await reading.WaitAsync(Eventually.Patience);
        await isOver.CancelAsync();
        await cutting;
    }

    [Fact]
    public async Task A_lost_connection_wakes_readers_and_is_made_again()
    {
        using var follower = _client.Wakeups.FollowStream("a");
        await ConnectedAsync(1);
        var reader = WaitAsync(follower);
        await _scene.KillServerAsync();
        await reader.WaitAsync(Eventually.Patience);
        await _scene.StartServerAsync();
        await ConnectedAsync(2);
        await AppendAsync("a", 1);
        await Eventually.IsAsync(() => _client.Wakeups.Durable == 1);
    }

    [Fact]
    public async Task The_connection_is_open_while_somebody_follows()
    {
        Assert.Equal(0, _client.Wakeups.Connections);
        for (var i = 1; i <= 3; i++)
        {
            using (_client.Wakeups.Follow())
                await ConnectedAsync(i);
        }
        // A reader that nobody wakes looks for itself.
        using var follower = _client.Wakeups.Follow();
        await follower.WaitAsync(follower.Mark(), TimeSpan.FromMilliseconds(1), CancellationToken.None);
    }

    /// <summary>Reads to the end several times, each time as another follower.</summary>
    private async Task FollowAsync(Random random, int streams, int events)
    {
        for (var round = 0; round < 4; round++)
        {
            var name = random.Next(streams);
            var kind = random.Next(3);
            using var follower =
                kind == 0 ? _client.Wakeups.FollowStream($"s{name}")
                : kind == 1 ? _client.Wakeups.FollowTags([$"t{name % 2}"])
                : _client.Wakeups.Follow();
            var wanted =
                events
                * (
                    kind == 0 ? 1
                    : kind == 1 ? streams / 2
                    : streams
                )
                / 4
                * (round + 1);
            while (true)
            {
                var mark = follower.Mark();
                var page =
                    kind == 0 ? await _client.ReadPageAsync($"s{name}", 1, long.MaxValue, 10_000)
                    : kind == 1 ? await _client.ReadTaggedAsync([$"t{name % 2}"], 0, long.MaxValue, 10_000)
                    : await _client.ReadAllAsync(0, long.MaxValue, 10_000);
                if (page.Events.Count >= wanted)
                    break;
                await WaitAsync(follower, mark);
            }
        }
    }

    /// <summary>The server has answered so many connections, and those who follow have been told.</summary>
    private Task ConnectedAsync(int connections) => Eventually.IsAsync(() => _client.Wakeups.Connected == connections);

    private static Task WaitAsync(Follower follower, long? mark = null) =>
        follower.WaitAsync(mark ?? follower.Mark(), Never, CancellationToken.None);

    private async Task AppendAsync(string stream, long first, params string[] tags)
    {
        var added = new NewEvent
        {
            Payload = "{}"u8.ToArray(),
            Ticks = first,
            Tags = tags,
        };
        var group = new EventGroup { First = first, Events = [added] };
        Assert.Equal(AppendOutcome.Stored, Assert.Single(await _client.AppendAsync(new(stream, [group]), _client.Begin())).Outcome);
    }
}
