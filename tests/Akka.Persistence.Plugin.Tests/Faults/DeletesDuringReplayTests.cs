using Akka.Actor;
using Jackdaw.Actors.Tests.Recorders;

namespace Jackdaw.Actors.Tests.Faults;

/// <summary>Events are deleted while others replay them.</summary>
[Collection(SharedServerCollection.Name)]
[Trait("Category", "Slow")]
public sealed class DeletesDuringReplayTests(SharedServer server)
{
    private const int Events = 5_000;
    private const int Deleted = 4_000;
    private const int Step = 100;

    [Fact]
    public async Task A_replay_during_deletes_is_in_order_and_has_every_event_that_was_not_deleted()
    {
        await using var host = new ActorHost(server.NewConfiguration());
        var recorder = host.Recorder("one");
        for (var first = 1; first <= Events; first += Step)
            recorder.Tell(new WriteTogether([.. Enumerable.Range(first, Step).Select(n => $"{n}")]));
        Assert.Equal(Events, (await recorder.Ask<Texts>(new GetTexts(), Eventually.Patience)).Number);

        var deleting = Task.Run(async () =>
        {
            for (var to = Step; to <= Deleted; to += Step)
            {
                recorder.Tell(new DeleteTo(to));
                await Task.Delay(10);
            }
        });
        while (!deleting.IsCompleted)
            foreach (var texts in await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => host.RecoverAsync("one"))))
                Verify(texts);
        await deleting;
        await Eventually.IsAsync(async () => (await host.RecoverAsync("one")).All.Count == Events - Deleted);
    }

    private static void Verify(Texts recovered)
    {
        Assert.Equal(Events, recovered.Number);
        int[] numbers = [.. recovered.All.Select(int.Parse)];
        for (var i = 1; i < numbers.Length; i++)
            Assert.True(numbers[i] > numbers[i - 1], $"Event {numbers[i]} follows event {numbers[i - 1]}.");
        Assert.Equal(Enumerable.Range(Deleted + 1, Events - Deleted), numbers.Where(number => number > Deleted));
    }
}
