using Jackdaw.EventStreams.Client.Appending;
using Jackdaw.EventStreams.Client.Tests.Serving;

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
    public async Task All_readers_are_woken_by_one_connection_when_something_was_stored_or_deleted()
    {
        using var follower = _client.Wakeups.Follow();
        using var another = _client.Wakeups.Follow();
        await Eventually.IsAsync(() => _client.Wakeups.Mark() > 0);
        var mark = _client.Wakeups.Mark();
        var readers = Enumerable.Range(0, 20).Select(_ => WaitAsync(mark)).ToArray();
        Assert.DoesNotContain(readers, reader => reader.IsCompleted);

        await AppendAsync(1);
        await Task.WhenAll(readers).WaitAsync(Eventually.Patience);
        await Eventually.IsAsync(() => _client.Wakeups.Durable == 1);
        mark = _client.Wakeups.Mark();
        var reader = WaitAsync(mark);
        await _client.DeleteAsync("a", 1, _client.Begin());
        await reader.WaitAsync(Eventually.Patience);

        Assert.Equal(1, _client.Wakeups.Connections);
    }

    [Fact]
    public async Task A_lost_connection_wakes_readers_and_is_made_again()
    {
        using var follower = _client.Wakeups.Follow();
        await Eventually.IsAsync(() => _client.Wakeups.Mark() > 0);
        var reader = WaitAsync(_client.Wakeups.Mark());
        await _scene.KillServerAsync();
        await reader.WaitAsync(Eventually.Patience);
        await _scene.StartServerAsync();
        await Eventually.IsAsync(() => _client.Wakeups.Connections == 2);
        await AppendAsync(1);
        await Eventually.IsAsync(() => _client.Wakeups.Durable == 1);
    }

    [Fact]
    public async Task The_connection_is_open_while_somebody_follows()
    {
        Assert.Equal(0, _client.Wakeups.Connections);
        for (var i = 1; i <= 3; i++)
        {
            using (_client.Wakeups.Follow())
                await Eventually.IsAsync(() => _client.Wakeups.Connections == i);
        }
        // A reader that nobody wakes looks for itself.
        await _client.Wakeups.WaitAsync(_client.Wakeups.Mark(), TimeSpan.FromMilliseconds(1), CancellationToken.None);
    }

    private Task WaitAsync(long mark) => _client.Wakeups.WaitAsync(mark, Never, CancellationToken.None);

    private async Task AppendAsync(long first) =>
        Assert.Equal(AppendOutcome.Stored, Assert.Single(await _client.AppendAsync(Appends.Of("a", first), _client.Begin())).Outcome);
}
