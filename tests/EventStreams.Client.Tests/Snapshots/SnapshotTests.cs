using Jackdaw.EventStreams.Client.Errors;
using Jackdaw.EventStreams.Client.Snapshots;
using Jackdaw.EventStreams.Client.Tests.Serving;

namespace Jackdaw.EventStreams.Client.Tests.Snapshots;

/// <summary>Snapshots in the real server.</summary>
public sealed class SnapshotTests : IAsyncLifetime
{
    private const long Time = 638_000_000_000_000_001;
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
    public async Task Saves_beyond_the_limit_wait_for_the_others_and_fail_when_their_time_is_over()
    {
        await using var server = new FakeServer();
        await using var client = new EventStreamsClient(
            server.Options with
            {
                MaxSnapshotUploads = 2,
                RepeatSnapshotsFor = TimeSpan.FromHours(1),
            }
        );
        Task[] saves = [.. Enumerable.Range(1, 3).Select(number => client.SaveSnapshotAsync(Of(number, Time, [1]), client.Begin()))];
        var (first, second) = (await server.NextAsync(), await server.NextAsync());
        await first.SendAsync(201, "");
        var third = await server.NextAsync();
        Assert.Equal(3, server.Count);
        // Almost all of the fourth one's time is over.
        var began = client.Begin() - (3600 * TimeProvider.System.TimestampFrequency) + (TimeProvider.System.TimestampFrequency / 2);
        var error = await Assert.ThrowsAsync<ServerUnavailableException>(() => client.SaveSnapshotAsync(Of(4, Time, [1]), began));
        Assert.Contains("2 snapshots before the saving of snapshot 4 of stream", error.Message, StringComparison.Ordinal);
        Assert.False(error.IsOutcomeUnknown);
        await second.SendAsync(201, "");
        await third.SendAsync(201, "");
        await Task.WhenAll(saves).WaitAsync(Eventually.Patience);
    }

    [Fact]
    public async Task Everything_comes_back_as_it_was_saved()
    {
        foreach (var size in (int[])[0, 1, 10_000, (4 << 20) + 1])
        {
            var bytes = new byte[size];
            Random.Shared.NextBytes(bytes);
            var saved = Of(0, Time, bytes) with { Stream = "konto/1 ä+%&=#?\"\\", Serializer = -7, Manifest = "Type`1, ä \"m\"" };
            await _client.SaveSnapshotAsync(saved, _client.Begin());
            var loaded = await _client.LoadSnapshotAsync(saved.Stream, new SnapshotBounds(), _client.Begin());
            Assert.Equal(bytes, loaded!.Bytes.ToArray());
            Assert.Equal(saved with { Bytes = default }, loaded with { Bytes = default });
        }
    }

    [Fact]
    public async Task The_highest_snapshot_within_all_bounds_is_loaded()
    {
        for (var number = 1; number <= 5; number++)
            await SaveAsync(number, Time + number);
        Assert.Equal(5, await LoadAsync(new SnapshotBounds()));
        Assert.Equal(3, await LoadAsync(new SnapshotBounds { MaxNumber = 3 }));
        Assert.Equal(2, await LoadAsync(new SnapshotBounds { MaxTicks = Time + 2 }));
        Assert.Equal(4, await LoadAsync(new SnapshotBounds { MinTicks = Time + 4, MaxNumber = 4 }));
        Assert.Null(await LoadAsync(new SnapshotBounds { MinTicks = Time + 5, MaxNumber = 4 }));
        Assert.Null(await LoadAsync(new SnapshotBounds { MinNumber = 6 }));
        Assert.Null(await _client.LoadSnapshotAsync("A", new SnapshotBounds(), _client.Begin()));
    }

    [Fact]
    public async Task Deletions_keep_to_their_times_and_bounds()
    {
        for (var number = 1; number <= 5; number++)
            await SaveAsync(number, Time + number);
        // The time of a failed save, which is not the one that is there.
        Assert.Equal(0, await _client.DeleteSnapshotAsync("a", 5, Time + 6, null, _client.Begin()));
        Assert.Equal(0, await _client.DeleteSnapshotAsync("a", 5, null, Time + 4, _client.Begin()));
        Assert.Equal(5, await LoadAsync(new SnapshotBounds()));
        Assert.Equal(1, await _client.DeleteSnapshotAsync("a", 5, Time + 5, null, _client.Begin()));
        Assert.Equal(1, await _client.DeleteSnapshotAsync("a", 4, null, Time + 9, _client.Begin()));
        Assert.Equal(2, await _client.DeleteSnapshotsAsync("a", new SnapshotBounds { MaxNumber = 2 }, _client.Begin()));
        Assert.Equal(1, await _client.DeleteSnapshotAsync("a", 3, null, null, _client.Begin()));
        Assert.Null(await LoadAsync(new SnapshotBounds()));
    }

    [Fact]
    public async Task The_last_save_of_a_number_wins_and_a_lost_answer_is_repeated()
    {
        await SaveAsync(1, Time);
        _scene.Proxy.SwallowAnswers = true;
        var saving = _client.SaveSnapshotAsync(Of(1, Time + 1, [2, 2]), _client.Begin());
        await Eventually.IsAsync(() => _scene.Proxy.HasSwallowed);
        _scene.Proxy.SwallowAnswers = false;
        await saving;

        var loaded = await _client.LoadSnapshotAsync("a", new SnapshotBounds(), _client.Begin());
        Assert.Equal((Time + 1, 2), (loaded!.Ticks, loaded.Bytes.Length));
    }

    [Fact]
    public async Task A_snapshot_over_the_limit_is_refused_before_it_is_sent()
    {
        await using var client = new EventStreamsClient(_scene.Options with { MaxSnapshotBytes = 3 << 20 });
        var invalid = await Assert.ThrowsAsync<InvalidAppendException>(() =>
            client.SaveSnapshotAsync(Of(1, Time, new byte[(3 << 20) + 1]), client.Begin())
        );
        Assert.Contains("the limit is 3 MB", invalid.Message, StringComparison.Ordinal);
        Assert.Null(await LoadAsync(new SnapshotBounds()));
    }

    private static Snapshot Of(long number, long ticks, byte[] bytes) =>
        new()
        {
            Stream = "a",
            Number = number,
            Ticks = ticks,
            Bytes = bytes,
        };

    private Task SaveAsync(long number, long ticks) => _client.SaveSnapshotAsync(Of(number, ticks, [1]), _client.Begin());

    private async Task<long?> LoadAsync(SnapshotBounds bounds) => (await _client.LoadSnapshotAsync("a", bounds, _client.Begin()))?.Number;
}
