using System.Text;
using Jackdaw.Documents;
using Jackdaw.Documents.EventStreams;
using Jackdaw.Server.Endpoints.EventStreams.Live;
using Jackdaw.Server.Tests.Serving;

namespace Jackdaw.Server.Tests.Endpoints.EventStreams;

/// <summary>A thousand live readers.</summary>
[Collection(MemoryMeasured.Name)]
public sealed class ManyLiveReadersTests : IAsyncLifetime
{
    private const int Readers = 1000;

    private readonly List<LiveClient> _clients = [];
    private ServerScene _scene = null!;

    private DatabaseLiveReads Live => _scene.Database.Attached<DatabaseLiveReads>()!;

    public async Task InitializeAsync()
    {
        // No heartbeats: what these readers take is what events cost them.
        _scene = await ServerScene.OpenAsync(live: new LiveReadLimits { Beat = TimeSpan.FromDays(1), Heartbeat = TimeSpan.FromDays(2) });
        for (var i = 0; i < Readers; i++)
            _clients.Add(await LiveClient.ConnectAsync(_scene, i % 2 == 0 ? $"?stream=s{i}" : $"?tag=t{i}&wakeOnly={i % 4 == 1}"));
    }

    public async Task DisposeAsync()
    {
        foreach (var client in _clients)
            await client.DisposeAsync();
        await _scene.DisposeAsync();
    }

    [Fact]
    public async Task A_thousand_idle_readers_hold_no_thread_and_no_read_transaction()
    {
        await Eventually.IsAsync(() => ThreadPool.PendingWorkItemCount == 0);
        Assert.Equal(0, _scene.Database.StorageStatistics().Readers);
        var items = ThreadPool.CompletedWorkItemCount;
        var reads = _scene.Database.ReadersEnded;
        await Task.Delay(500);

        Assert.Equal(Readers, _scene.State.LiveReads.ReaderCount);
        Assert.InRange(ThreadPool.CompletedWorkItemCount - items, 0, 50);
        Assert.Equal(reads, _scene.Database.ReadersEnded);
        Assert.InRange(ThreadPool.ThreadCount, 0, 100);
    }

    [Fact]
    public async Task Events_that_concern_one_reader_cost_the_others_nothing()
    {
        const int Appends = 200;
        var before = _scene.Database.ReadersEnded;
        for (var number = 1; number <= Appends; number++)
            await AppendAsync("other", number, "s0");
        await Eventually.IsAsync(() => Live.Passed == Appends);
        // The pass alone has read: at most once for each transaction.
        Assert.InRange(_scene.Database.ReadersEnded - before, 1, Appends);

        await AppendAsync("s400", 1, "t401");
        Assert.Equal("s400/1", await _clients[400].NextEventAsync());
        Assert.Equal(Appends + 1, (await _clients[401].NextAsync()).GetProperty("durable").GetInt64());
        Assert.InRange(_scene.Database.ReadersEnded - before, 1, Appends + 3);
    }

    [Fact]
    public async Task An_event_reaches_all_who_follow_everything()
    {
        var all = new List<LiveClient>();
        for (var i = 0; i < 200; i++)
            all.Add(await LiveClient.ConnectAsync(_scene));
        await AppendAsync("a", 1, "t");
        foreach (var client in all)
        {
            Assert.Equal("a/1", await client.NextEventAsync());
            await client.DisposeAsync();
        }
    }

    private async Task AppendAsync(string stream, long number, string tag)
    {
        var append = new AppendOperation(Limits.Default);
        var group = append.AddGroup();
        group.SetStream(Encoding.UTF8.GetBytes(stream));
        group.First = number;
        group.Add(new NewEvent { Payload = "p"u8.ToArray(), Tags = [Encoding.UTF8.GetBytes(tag)] });
        append.Complete();
        await _scene.Database.SubmitAsync(append);
        Assert.Equal(AppendOutcome.Stored, append.Groups[0].Outcome);
    }
}
