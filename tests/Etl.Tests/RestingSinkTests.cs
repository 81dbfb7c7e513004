using Jackdaw.Etl.Positions;
using Xunit;

namespace Jackdaw.Etl.Tests;

/// <summary>A sink whose connection costs something is closed while there is nothing for it.</summary>
public class RestingSinkTests
{
    private const string Script = "if (!this.skip) loadToA({ n: this.n });";

    [Fact]
    public async Task A_sink_rests_after_a_minute_without_work_and_is_opened_for_what_is_to_be_sent_only()
    {
        await using var scene = await Scene.OpenAsync();
        var broker = new KeptBroker { Ledger = scene.Ledger };
        var sink = new KeepingSink(broker) { CanRest = true };
        await scene.PutAsync("orders/1", """{"n":1}""");
        await scene.StartAsync(Scene.Configuration(Scene.Transform(Script)), sink);
        scene.RunToRest();
        Assert.True(sink.IsOpen);
        scene.Clock.Advance(scene.Limits.IdleSinkTime);
        Assert.Equal(Timeout.InfiniteTimeSpan, scene.Task.RunStep());
        Assert.Equal((false, EtlTaskState.Idle), (sink.IsOpen, scene.Task.State));

        // Changes that send nothing do not wake it, and their position is stored after a while.
        await scene.PutAsync("users/1", "{}", "Users");
        await scene.PutAsync("orders/2", """{"skip":true}""");
        scene.RunToRest();
        Assert.Equal((1, 0), (sink.Openings, scene.Task.Status().Transforms[0].DocumentsBehind));
        Assert.Equal(1, broker.Positions["all"].Etag);
        scene.Clock.Advance(scene.Limits.RestingPositionInterval);
        scene.RunToRest();
        Assert.Equal((2, 3), (sink.Openings, broker.Positions["all"].Etag));
        scene.Clock.Advance(scene.Limits.IdleSinkTime);
        scene.RunToRest();
        Assert.False(sink.IsOpen);

        await scene.PutAsync("orders/3", """{"n":3}""");
        scene.RunToRest();
        Assert.Equal((3, true), (sink.Openings, sink.IsOpen));
        Assert.Equal(["A: {\"n\":1}", "A: {\"n\":3}"], scene.Ledger.Select(received => received.ToString()));
    }

    [Fact]
    public async Task What_the_sink_tells_when_it_wakes_counts_more_than_what_was_read_while_it_rested()
    {
        await using var scene = await Scene.OpenAsync();
        var broker = new KeptBroker { Ledger = scene.Ledger };
        var sink = new KeepingSink(broker) { CanRest = true };
        await scene.PutAsync("orders/1", """{"n":1}""");
        await scene.PutAsync("orders/2", """{"n":2}""");
        await scene.StartAsync(Scene.Configuration(Scene.Transform(Script)), sink);
        scene.RunToRest();
        scene.Clock.Advance(scene.Limits.IdleSinkTime);
        scene.RunToRest();
        Assert.False(sink.IsOpen);
        // Somebody has set it back at the sink meanwhile.
        broker.Positions["all"] = new TaskPosition(scene.Database.Id, 1);
        await scene.PutAsync("orders/3", """{"n":3}""");
        scene.RunToRest();
        Assert.Equal([1, 2, 2, 3], scene.Ledger.Select(received => (int)received.Message.Origin.Etag));
    }

    [Fact]
    public async Task A_task_that_is_resumed_or_set_to_a_position_while_its_sink_rests_opens_it()
    {
        await using var scene = await Scene.OpenAsync();
        var broker = new KeptBroker { Ledger = scene.Ledger };
        var sink = new KeepingSink(broker) { CanRest = true };
        await scene.PutAsync("orders/1", """{"n":1}""");
        await scene.StartAsync(Scene.Configuration(Scene.Transform(Script)), sink);
        scene.RunToRest();
        scene.Clock.Advance(scene.Limits.IdleSinkTime);
        scene.RunToRest();
        Assert.False(sink.IsOpen);
        scene.SetPosition(null, 0);
        scene.RunToRest();
        Assert.Equal((2, 2), (sink.Openings, scene.Ledger.Count));
    }
}
