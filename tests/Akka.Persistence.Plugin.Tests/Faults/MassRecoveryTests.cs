using Akka.Actor;
using Jackdaw.Actors.Tests.Recorders;

namespace Jackdaw.Actors.Tests.Faults;

/// <summary>A process starts with thousands of actors while another one writes.</summary>
[Collection(SharedServerCollection.Name)]
[Trait("Category", "Long")]
public sealed class MassRecoveryTests(SharedServer server)
{
    private const int Actors = 10_000;
    private const int Writers = 16;

    [Fact]
    public async Task Ten_thousand_actors_recover_while_others_write_and_none_fails()
    {
        var configuration = server.NewConfiguration();
        await using (var before = new ActorHost(configuration))
        {
            foreach (var ids in Enumerable.Range(0, Actors).Chunk(500))
                await Task.WhenAll(ids.Select(id => FillAsync(before, id)));
        }

        await using var writing = new ActorHost(configuration);
        InsistentWriter[] writers = [.. Enumerable.Range(0, Writers).Select(i => new InsistentWriter(writing.Recorder($"writer-{i}")))];
        using var stop = new CancellationTokenSource();
        Task[] tasks =
        [
            .. writers.Select(async writer =>
            {
                while (!stop.IsCancellationRequested)
                    await writer.WriteAsync(1);
            }),
        ];

        await using var recovering = new ActorHost(configuration);
        IActorRef[] recorders = [.. Enumerable.Range(0, Actors).Select(i => recovering.Recorder($"{i}"))];
        // All at once: they wait for their turn in the journal.
        var recovered = await Task.WhenAll(recorders.Select(recorder => recorder.Ask<Texts>(new GetTexts(), TimeSpan.FromMinutes(5))));
        await stop.CancelAsync();
        await Task.WhenAll(tasks);

        for (var i = 0; i < Actors; i++)
            Assert.Equal([$"{i} a", $"{i} b", $"{i} c"], recovered[i].All);
        for (var i = 0; i < Writers; i++)
        {
            Assert.True(writers[i].Acknowledged > 0);
            Assert.Equal(writers[i].Acknowledged, writers[i].Attempts);
            writers[i].Verify(await recovering.RecoverAsync($"writer-{i}"));
        }
    }

    private static async Task FillAsync(ActorHost host, int id)
    {
        var recorder = host.Recorder($"{id}");
        recorder.Tell(new WriteTogether([$"{id} a", $"{id} b", $"{id} c"]));
        await recorder.Ask<Texts>(new GetTexts(), Eventually.Patience);
        await recorder.GracefulStop(Eventually.Patience);
    }
}
