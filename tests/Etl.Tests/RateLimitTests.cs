using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Running;
using Xunit;

namespace Jackdaw.Etl.Tests;

public class RateLimitTests
{
    /// <summary>Puts documents, runs a task with a limit to its rest, and gives the second of each receipt.</summary>
    private static async Task<(Scene Scene, List<double> Seconds)> SendAsync(int documents, string script, RateLimit limit)
    {
        var scene = await Scene.OpenAsync();
        for (int i = 1; i <= documents; i++)
            await scene.PutAsync($"orders/{i}", $"{{\"n\":{i}}}");
        var began = scene.Clock.GetUtcNow();
        var seconds = new List<double>();
        await scene.StartAsync(
            Scene.Configuration(Scene.Transform(script)) with
            {
                RateLimit = limit,
            },
            new RecordingSink(
                scene.Ledger,
                (own, delivery) =>
                {
                    for (int i = 0; i < delivery.Messages.Count; i++)
                    {
                        own.Receive(delivery, i);
                        delivery.Confirm(i);
                        seconds.Add((scene.Clock.GetUtcNow() - began).TotalSeconds);
                    }
                }
            )
        );
        return (scene, seconds);
    }

    [Theory]
    [InlineData(3)]
    [InlineData(0.25)]
    public async Task Documents_go_out_at_the_rate_and_not_much_slower(double rate)
    {
        var (scene, seconds) = await SendAsync(20, "loadToA({ n: this.n });", new RateLimit(rate, null));
        await using var opened = scene;
        scene.RunToRest();
        double burst = Math.Max(1, Math.Floor(rate));
        Assert.Equal(20, seconds.Count);
        for (int i = 0; i < seconds.Count; i++)
            Assert.InRange(seconds[i], Math.Max(0, (i + 1 - burst) / rate) - 0.001, ((i + 1) / rate) + 0.001);
        Assert.Equal((EtlTaskState.Idle, 20), (scene.Task.State, scene.StoredPosition()));
    }

    [Fact]
    public async Task A_document_of_many_messages_is_sent_whole_and_the_next_one_waits_for_it()
    {
        var (scene, seconds) = await SendAsync(3, "for (let i = 0; i < 4; i++) loadToA({ i });", new RateLimit(null, 1));
        await using var opened = scene;
        scene.RunToRest();
        Assert.Equal([0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8], seconds.Select(second => Math.Round(second, 3)));
    }

    [Fact]
    public async Task Documents_that_send_nothing_cost_nothing()
    {
        var (scene, seconds) = await SendAsync(500, "if (this.n % 100 === 0) loadToA({ n: this.n });", new RateLimit(1, null));
        await using var opened = scene;
        scene.RunToRest();
        Assert.Equal([0, 1, 2, 3, 4], seconds.Select(second => Math.Round(second, 3)));
    }

    [Fact]
    public async Task A_task_that_is_held_back_says_so_has_stored_its_position_and_obeys_at_once()
    {
        var (scene, seconds) = await SendAsync(5, "loadToA({ n: this.n });", new RateLimit(0.01, 1000));
        await using var opened = scene;
        Assert.Equal(TimeSpan.Zero, scene.Task.RunStep());
        Assert.InRange(scene.Task.RunStep(), TimeSpan.FromSeconds(99), TimeSpan.FromSeconds(101));
        Assert.Equal(
            (EtlTaskState.Running, "Held back by its limit of 0.01 documents a second and 1000 messages a second.", 1),
            (scene.Task.State, scene.Task.Status().Reason, scene.StoredPosition())
        );
        scene.Task.Pause();
        Assert.Equal(Timeout.InfiniteTimeSpan, scene.Task.RunStep());
        scene.Task.Resume();
        scene.Task.SetRateLimit(RateLimit.None);
        scene.RunToRest();
        Assert.Equal((5, 0d, EtlTaskState.Idle), (seconds.Count, seconds[^1], scene.Task.State));
    }

    [Fact]
    public async Task A_limit_near_zero_holds_the_task_back_and_does_not_end_its_thread()
    {
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", "{}");
        await scene.PutAsync("orders/2", "{}");
        using var engine = new Scripting.ScriptEngine();
        var options = new EtlOptions { Limits = scene.Limits with { MaxBatchDocuments = 1 } };
        var task = new EtlTask(
            Scene.Configuration(Scene.Transform("loadToA(this);")) with
            {
                RateLimit = new RateLimit(1e-300, null),
            },
            scene.Database,
            engine,
            new RecordingSink(scene.Ledger),
            options
        );
        await using var thread = new EtlTaskThread(task, scene.Database, "out");
        await Eventually.IsAsync(() => task.Status().Reason is not null);
        await scene.PutAsync("orders/3", "{}");
        await Task.Delay(100);
        Assert.Equal((EtlTaskState.Running, 1), (task.State, scene.Ledger.Count));
        Assert.StartsWith("Held back", task.Status().Reason, StringComparison.Ordinal);
    }
}
