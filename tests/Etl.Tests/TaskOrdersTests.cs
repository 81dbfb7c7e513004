using Jackdaw.Etl.Configuration;
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
        var options = new EtlOptions { FailpointReached = name => _ = name == Failpoint.Read && Interlocked.Increment(ref reads) <= 2 ? throw new InvalidTimeZoneException("Odd.") : true };
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
        await using var endpoint = new WebhookEndpoint((request, _) => request.Key == "orders/2" && Volatile.Read(ref isHanging) ? Task.Delay(Timeout.Infinite) : Task.CompletedTask);
        await using var scene = await Scene.OpenAsync();
        long id;
        await using (var tasks = EtlTasks.Open(scene.Database, EtlTasksTests.s_engine, new EtlOptions { Limits = EtlLimits.Default with { CloseGrace = TimeSpan.FromMilliseconds(50) } }))
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
            Assert.DoesNotContain(reader.TaskValues("etl/"), value => value.Key.EndsWith($"/{id}", StringComparison.Ordinal));
        }
    }
}
