using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Orders;
using Jackdaw.Etl.Sinks;
using Jackdaw.Etl.Values;
using Xunit;
using static Jackdaw.Etl.Tests.EtlTasksTests;

namespace Jackdaw.Etl.Tests;

/// <summary>What people order of tasks with threads of their own.</summary>
public class TaskOrdersTests
{
    [Fact]
    public async Task A_task_whose_loop_has_ended_is_started_anew_when_it_is_resumed_or_its_position_is_set()
    {
        await using var endpoint = new WebhookEndpoint((_, context) => Task.CompletedTask);
        await using var scene = await Scene.OpenAsync();
        int reads = 0;
        var options = new EtlOptions
        {
            FailpointReached = name =>
                _ = name == Failpoint.Read && Interlocked.Increment(ref reads) <= 2 ? throw new InvalidTimeZoneException("Odd.") : true,
        };
        await using var tasks = EtlTasks.Open(scene.Database, EtlTasksTests.s_engine, options);
        await tasks.PutConnectionAsync(Connection(endpoint.Url));
        long id = await tasks.PutTaskAsync(Definition(), null);
        await scene.PutAsync("orders/1", "{}");
        await UntilAsync(() => tasks.Find(id)!.Status.State == EtlTaskState.Faulted);
        Assert.True(await tasks.ResumeAsync(id));
        await UntilAsync(() => Volatile.Read(ref reads) == 2 && tasks.Find(id)!.Status.State == EtlTaskState.Faulted);
        Assert.True(await tasks.SetPositionAsync(id, "t", 0));
        await UntilAsync(() => tasks.Find(id)!.Status is { State: EtlTaskState.Idle, Messages: 1 });
        Assert.False(await tasks.ResumeAsync(id + 1));
        Assert.False(await tasks.SetPositionAsync(id + 1, null, 0));
        Assert.False(await tasks.PauseAsync(id + 1));
    }

    [Fact]
    public async Task An_order_is_answered_while_the_sink_does_not_answer_and_outlives_a_server_that_never_came_to_it()
    {
        bool isHanging = true;
        await using var endpoint = new WebhookEndpoint(
            (request, _) => request.Key == "orders/2" && Volatile.Read(ref isHanging) ? Task.Delay(Timeout.Infinite) : Task.CompletedTask
        );
        await using var scene = await Scene.OpenAsync();
        long id;
        await using (
            var tasks = EtlTasks.Open(
                scene.Database,
                EtlTasksTests.s_engine,
                new EtlOptions { Limits = EtlLimits.Default with { CloseGrace = TimeSpan.FromMilliseconds(50) } }
            )
        )
        {
            await tasks.PutConnectionAsync(Connection(endpoint.Url));
            id = await tasks.PutTaskAsync(Definition(), null);
            await scene.PutAsync("orders/1", "{}");
            await UntilAsync(() => tasks.Find(id)!.Status is { State: EtlTaskState.Idle, Messages: 1 });
            await scene.PutAsync("orders/2", "{}");
            await UntilAsync(() => endpoint.Requests.Count == 2);
            Assert.True(await tasks.SetPositionAsync(id, "t", 0).WaitAsync(Eventually.Patience));
            await Assert.ThrowsAsync<InvalidConfigurationException>(() => tasks.SetPositionAsync(id, "nobody", 0));
        }
        Volatile.Write(ref isHanging, false);
        await using (var tasks = Open(scene))
        {
            await UntilAsync(() => tasks.Find(id)!.Status is { State: EtlTaskState.Idle, Messages: 2 });
            Assert.Equal(["orders/1", "orders/1", "orders/2", "orders/2"], endpoint.Requests.Select(request => request.Key).Order());
        }
        // Once, and not at every start.
        await using (var tasks = Open(scene))
            await UntilAsync(() => tasks.Find(id)!.Status.State == EtlTaskState.Idle);
        Assert.Equal(4, endpoint.Requests.Count);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_take_over_that_is_ordered_while_the_task_is_being_fenced_is_carried_out_once_although_the_server_goes_away(
        bool setsPosition
    )
    {
        await using var scene = await Scene.OpenAsync();
        var broker = new KeptBroker();
        using var asked = new SemaphoreSlim(0);
        using var answered = new ManualResetEventSlim();
        void RefuseSlowly(string name)
        {
            if (name != "opening")
                return;
            asked.Release();
            answered.Wait();
            throw new SinkException(SinkFault.Fenced, "Somebody else has it.");
        }
        long id;
        var first = EtlTasks.Open(
            scene.Database,
            EtlTasksTests.s_engine,
            new EtlOptions { Sink = _ => new KeepingSink(broker) { At = RefuseSlowly } }
        );
        await first.PutConnectionAsync(Connection("http://127.0.0.1:1/"));
        id = await first.PutTaskAsync(Definition(), null);
        await scene.PutAsync("orders/1", "{}");
        await asked.WaitAsync();
        Assert.True(await (setsPosition ? first.SetPositionAsync(id, "t", 0) : first.ResumeAsync(id)));
        // The loop does not come to it.
        var ending = first.DisposeAsync();
        answered.Set();
        await ending;
        void Refuse(string name) => _ = name == "opening" ? throw new SinkException(SinkFault.Fenced, "Somebody else has it.") : 0;
        await using (
            var tasks = EtlTasks.Open(
                scene.Database,
                EtlTasksTests.s_engine,
                new EtlOptions { Sink = _ => new KeepingSink(broker) { At = Refuse } }
            )
        )
        {
            await UntilAsync(() => tasks.Find(id)!.Status is { State: EtlTaskState.Idle, Messages: 1 });
            Assert.Equal(1, broker.TakeOvers);
        }
        await using (
            var tasks = EtlTasks.Open(
                scene.Database,
                EtlTasksTests.s_engine,
                new EtlOptions { Sink = _ => new KeepingSink(broker) { At = Refuse } }
            )
        )
        {
            await UntilAsync(() => tasks.Find(id)!.Status.State == EtlTaskState.Fenced);
            Assert.Equal(1, broker.TakeOvers);
            // Who has seen that it is fenced needs to order it once.
            Assert.True(await tasks.ResumeAsync(id));
            await UntilAsync(() => tasks.Find(id)!.Status.State == EtlTaskState.Idle);
            Assert.Equal((2, 1), (broker.TakeOvers, broker.Ledger.Count));
        }
    }

    [Fact]
    public async Task An_order_that_comes_while_the_sink_lets_the_task_in_takes_it_from_nobody_later()
    {
        await using var scene = await Scene.OpenAsync();
        var broker = new KeptBroker();
        using var asked = new SemaphoreSlim(0);
        using var answered = new ManualResetEventSlim();
        void AnswerSlowly(string name)
        {
            if (name != "opening")
                return;
            asked.Release();
            answered.Wait();
        }
        long id;
        await using (
            var tasks = EtlTasks.Open(
                scene.Database,
                EtlTasksTests.s_engine,
                new EtlOptions { Sink = _ => new KeepingSink(broker) { At = AnswerSlowly } }
            )
        )
        {
            await tasks.PutConnectionAsync(Connection("http://127.0.0.1:1/"));
            id = await tasks.PutTaskAsync(Definition(), null);
            await scene.PutAsync("orders/1", "{}");
            await asked.WaitAsync();
            await tasks.ResumeAsync(id);
            answered.Set();
            await UntilAsync(() => tasks.Find(id)!.Status is { State: EtlTaskState.Idle, Messages: 1 } && !IsTakenOver());
        }
        await using (
            var tasks = EtlTasks.Open(scene.Database, EtlTasksTests.s_engine, new EtlOptions { Sink = _ => new KeepingSink(broker) })
        )
            await UntilAsync(() => tasks.Find(id)!.Status.State == EtlTaskState.Idle);
        Assert.Equal((0, 1), (broker.TakeOvers, broker.Ledger.Count));

        bool IsTakenOver()
        {
            using var reader = scene.Database.OpenRead("test");
            return new OrderStore(scene.Database, id).TakesOver(reader);
        }
    }

    [Fact]
    public async Task A_pause_outlives_restarts_and_changes_until_somebody_resumes_or_enables_the_task()
    {
        await using var endpoint = new WebhookEndpoint((_, _) => Task.CompletedTask);
        await using var scene = await Scene.OpenAsync();
        long id;
        await using (var tasks = Open(scene))
        {
            await tasks.PutConnectionAsync(Connection(endpoint.Url));
            id = await tasks.PutTaskAsync(Definition(), null);
            await scene.PutAsync("orders/1", "{}");
            await UntilAsync(() => tasks.Find(id)!.Status is { State: EtlTaskState.Idle, Messages: 1 });
            Assert.True(await tasks.PauseAsync(id));
        }
        await scene.PutAsync("orders/2", "{}");
        await using (var tasks = Open(scene))
        {
            var status = tasks.Find(id)!.Status;
            Assert.Equal((EtlTaskState.Paused, 1, 1), (status.State, status.Transforms[0].Etag, status.Transforms[0].DocumentsBehind));
            await tasks.PutTaskAsync(Definition("loadToOther(this);"), id);
            await tasks.PutConnectionAsync(Connection(endpoint.Url));
            Assert.Equal(EtlTaskState.Paused, tasks.Find(id)!.Status.State);
            // Long enough for a task that is not paused.
            await Task.Delay(200);
            Assert.Single(endpoint.Requests);
            Assert.True(await tasks.ResumeAsync(id));
            await UntilAsync(() => endpoint.Requests.Count == 2);
            await tasks.PauseAsync(id);
            await tasks.SetDisabledAsync(id, disabled: true);
            await tasks.SetDisabledAsync(id, disabled: false);
            await scene.PutAsync("orders/3", "{}");
            await UntilAsync(() => endpoint.Requests.Count == 3);
            await tasks.PauseAsync(id);
            Assert.NotNull(await tasks.RemoveTaskAsync(id));
            using var reader = scene.Database.OpenRead("test");
            Assert.DoesNotContain(reader.EtlValuesOf("etl/"), value => value.Key.EndsWith($"/{id}", StringComparison.Ordinal));
        }
    }
}
