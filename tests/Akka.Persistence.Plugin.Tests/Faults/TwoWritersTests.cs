using Akka.Actor;
using Jackdaw.Actors.Tests.Recorders;

namespace Jackdaw.Actors.Tests.Faults;

/// <summary>Two processes that run the same persistent actor, as after a network partition.</summary>
[Collection(SharedServerCollection.Name)]
[Trait("Category", "Slow")]
public sealed class TwoWritersTests(SharedServer server)
{
    [Fact]
    public async Task The_actor_that_did_not_see_the_other_ones_event_stops_and_overwrites_nothing()
    {
        var configuration = server.NewConfiguration();
        await using var here = new ActorHost(configuration);
        await using var there = new ActorHost(configuration);
        var one = here.Recorder("shared");
        var other = there.Recorder("shared");
        // Both have recovered nothing.
        Assert.Empty((await one.Ask<Texts>(new GetTexts(), Eventually.Patience)).All);
        Assert.Empty((await other.Ask<Texts>(new GetTexts(), Eventually.Patience)).All);

        await one.Ask<Written>(new Write("a"), Eventually.Patience);
        await StopsAtAsync(other, "b");

        var again = there.Recorder("shared");
        Assert.Equal(["a"], (await again.Ask<Texts>(new GetTexts(), Eventually.Patience)).All);
        Assert.Equal(2, (await again.Ask<Written>(new Write("c"), Eventually.Patience)).Number);
        // Its number is free, as a rejection has used one up.
        await one.Ask<Rejected>(Recorder.TooLarge, Eventually.Patience);
        await StopsAtAsync(one, "d");

        Assert.Equal(3, (await again.Ask<Written>(new Write("e"), Eventually.Patience)).Number);
        Assert.Equal(["a", "c", "e"], (await here.RecoverAsync("shared")).All);
    }

    [Fact]
    public async Task An_actor_whose_place_another_one_has_taken_stops_even_when_its_number_is_free()
    {
        var configuration = server.NewConfiguration();
        await using var here = new ActorHost(configuration);
        await using var there = new ActorHost(configuration);
        var one = here.Recorder("shared");
        await one.Ask<Written>(new Write("a"), Eventually.Patience);
        // A rejection uses a number up, so the next one is free whatever the other actor writes.
        await one.Ask<Rejected>(Recorder.TooLarge, Eventually.Patience);
        var other = there.Recorder("shared");
        Assert.Equal(2, (await other.Ask<Written>(new Write("b"), Eventually.Patience)).Number);

        await StopsAtAsync(one, "c");
        Assert.Equal(["a", "b"], (await here.RecoverAsync("shared")).All);
    }

    private static async Task StopsAtAsync(IActorRef recorder, string text)
    {
        var stopped = recorder.WatchAsync();
        var written = recorder.Ask<Written>(new Write(text), Eventually.Patience);
        Assert.True(await Task.WhenAny(stopped, written).WaitAsync(Eventually.Patience) == stopped, $"{text} was written.");
    }
}
