using Jackdaw.Etl.Sinks;
using Xunit;

namespace Jackdaw.Etl.Tests;

public class LagTests
{
    /// <summary>Documents are rewritten while the receiver is away: the oldest change that is still there is always young.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task The_lag_is_the_age_of_the_moment_since_which_something_has_waited(bool failsOnOpening)
    {
        await using var scene = await Scene.OpenAsync();
        bool isDown = true;
        var sink = new RecordingSink(
            scene.Ledger,
            (sink, delivery) =>
            {
                if (isDown)
                    throw new SinkException(SinkFault.Sink, "Down.");
                sink.ReceiveRest(delivery);
            }
        )
        {
            Opening = () =>
            {
                if (failsOnOpening && isDown)
                    throw new SinkException(SinkFault.Sink, "Down.");
            },
        };
        await scene.PutAsync("orders/1", "{}");
        await scene.StartAsync(Scene.Configuration(Scene.Transform("loadToA({});")), sink);
        scene.Task.RunStep();
        double before = scene.Task.Status().Transforms[0].SecondsBehind;
        for (int i = 0; i < 25; i++)
        {
            await scene.PutAsync("orders/1", $"{{\"n\":{i}}}");
            scene.Clock.Advance(TimeSpan.FromSeconds(1));
            scene.Task.RunStep();
        }
        Assert.Equal(before + 25, scene.Task.Status().Transforms[0].SecondsBehind, 1e-6);

        isDown = false;
        scene.RunToRest();
        Assert.Equal(0, scene.Task.Status().Transforms[0].SecondsBehind);
        // What comes now has not waited since then.
        isDown = true;
        await scene.PutAsync("orders/1", "{}");
        scene.Task.RunStep();
        Assert.True(scene.Task.Status().Transforms[0].SecondsBehind < before + 60);
    }
}
