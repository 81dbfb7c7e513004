using Jackdaw.Documents.Errors;
using Jackdaw.Etl.Sinks;
using Xunit;

namespace Jackdaw.Etl.Tests;

/// <summary>Two deliveries under way at once, step by step; with faults where a seed says: <see cref="DeliveryPropertyTests"/>.</summary>
public class ReachingAheadTests
{
    private static readonly TimeSpan s_patience = Eventually.Patience;

    /// <summary>So many documents of one key, two a batch.</summary>
    private static async Task<Scene> WithDocuments(int count)
    {
        var scene = await Scene.OpenAsync();
        scene.Limits = scene.Limits with { MaxBatchDocuments = 2 };
        for (int i = 1; i <= count; i++)
            await scene.PutAsync($"orders/{i}", $"{{\"n\":{i}}}");
        return scene;
    }

    /// <summary>A sink that does, at its calls in turn, what it is told; and then sends what is open and on its way no more.</summary>
    private static RecordingSink Sink(Scene scene, params Func<RecordingSink, Delivery, Task>[] calls)
    {
        int call = 0;
        RecordingSink? sink = null;
        sink = new RecordingSink(
            scene.Ledger,
            (own, delivery) =>
            {
                int number = call++;
                own.Afterwards = number < calls.Length ? () => calls[number](own, delivery) : null;
                if (number >= calls.Length)
                    ReceiveRest(own, delivery);
            }
        )
        {
            ReachesAhead = true,
        };
        return sink;
    }

    private static void ReceiveRest(RecordingSink sink, Delivery delivery)
    {
        Begin(sink, delivery);
        for (int i = 0; i < delivery.Messages.Count; i++)
        {
            if (!delivery.IsSettled(i))
                delivery.Confirm(i);
        }
    }

    private static void Begin(RecordingSink sink, Delivery delivery)
    {
        for (; delivery.Begun < delivery.Messages.Count; delivery.Begun++)
        {
            if (!delivery.IsSettled(delivery.Begun))
                sink.Receive(delivery, delivery.Begun);
        }
    }

    private static Task StartAsync(Scene scene, RecordingSink sink) =>
        scene.StartAsync(Scene.Configuration(Scene.Transform("loadToA({ n: this.n }, { PartitionKey: 'one' });")), sink);

    private static int[] Numbers(Scene scene) => scene.Ledger.Select(received => int.Parse(received.Text[5..^1])).ToArray();

    [Fact]
    public async Task What_is_only_held_up_is_not_sent_again_though_what_follows_it_was_confirmed_before()
    {
        await using var scene = await WithDocuments(2);
        var sink = Sink(
            scene,
            (own, delivery) =>
            {
                Begin(own, delivery);
                delivery.Confirm(1);
                throw new SinkException(SinkFault.Sink, "Publishers are blocked.") { IsAllOnItsWay = true };
            }
        );
        await StartAsync(scene, sink);
        scene.Task.RunStep();
        Assert.Equal(EtlTaskState.Waiting, scene.Task.State);
        scene.RunToRest();
        Assert.Equal([1, 2], Numbers(scene));
        Assert.Equal((EtlTaskState.Idle, 2), (scene.Task.State, scene.StoredPosition()));
    }

    [Fact]
    public async Task What_was_confirmed_of_the_second_delivery_is_sent_again_behind_what_was_refused_of_the_first()
    {
        await using var scene = await WithDocuments(6);
        var sink = Sink(
            scene,
            async (own, delivery) =>
            {
                await delivery.Followed.WaitAsync(s_patience);
                own.Receive(delivery, 0);
                delivery.Confirm(0);
                // The second is refused; what is behind it arrives.
                delivery.Try(1);
                delivery.Begun = 2;
                ReceiveRest(own, delivery.Next!);
                throw new SinkException(SinkFault.Sink, "The second was refused.");
            }
        );
        await StartAsync(scene, sink);
        scene.Task.RunStep();
        Assert.Equal((EtlTaskState.Waiting, 1), (scene.Task.State, scene.StoredPosition()));
        scene.RunToRest();
        Assert.Equal([1, 3, 4, 2, 3, 4, 5, 6], Numbers(scene));
        Assert.Equal((6, 6L), (scene.StoredPosition(), scene.Task.Status().Messages));
    }

    [Fact]
    public async Task After_a_fault_the_position_covers_what_is_settled_of_the_second_delivery_when_all_of_the_first_is()
    {
        await using var scene = await WithDocuments(4);
        var sink = Sink(
            scene,
            async (own, delivery) =>
            {
                await delivery.Followed.WaitAsync(s_patience);
                ReceiveRest(own, delivery);
                own.Receive(delivery.Next!, 0);
                delivery.Next!.Confirm(0);
                throw new SinkException(SinkFault.Task, "The exchange of the fourth is of another type.");
            }
        );
        var stored = new List<long?>();
        scene.AtFailpoint = name =>
        {
            if (name == Failpoint.PositionStored)
                stored.Add(scene.StoredPosition());
        };
        await StartAsync(scene, sink);
        scene.RunToRest();
        Assert.Equal((EtlTaskState.Stopped, 3), (scene.Task.State, scene.StoredPosition()));
        scene.Task.Resume();
        scene.RunToRest();
        Assert.Equal([1, 2, 3, 4], Numbers(scene));
        Assert.Equal(4, stored[^1]);
        Assert.Equal(stored.Order(), stored);
    }

    [Fact]
    public async Task A_position_is_stored_while_the_next_delivery_is_on_its_way_and_what_it_has_begun_is_not_sent_twice()
    {
        await using var scene = await WithDocuments(6);
        var sink = Sink(
            scene,
            async (own, delivery) =>
            {
                await delivery.Followed.WaitAsync(s_patience);
                ReceiveRest(own, delivery);
                Begin(own, delivery.Next!);
            },
            async (own, delivery) =>
            {
                Assert.Equal((2, 0), (delivery.Begun, scene.StoredPosition()));
                await Eventually.IsAsync(() => scene.StoredPosition() == 2);
                ReceiveRest(own, delivery);
            }
        );
        await StartAsync(scene, sink);
        scene.RunToRest();
        Assert.Equal([1, 2, 3, 4, 5, 6], Numbers(scene));
        Assert.Equal(6, scene.StoredPosition());
    }

    [Fact]
    public async Task A_position_that_the_database_does_not_take_while_the_next_delivery_is_on_its_way_is_stored_before_that_ones()
    {
        await using var scene = await WithDocuments(6);
        var hasFailed = new TaskCompletionSource();
        var stored = new List<long?>();
        scene.AtFailpoint = name =>
        {
            if (name == Failpoint.PositionStored)
                stored.Add(scene.StoredPosition());
            if (name != Failpoint.Position || scene.Ledger.Count == 0 || hasFailed.Task.IsCompleted)
                return;
            hasFailed.SetResult();
            throw new MergerQueueFullException("shop", 1, 1);
        };
        var sink = Sink(
            scene,
            async (own, delivery) =>
            {
                await delivery.Followed.WaitAsync(s_patience);
                ReceiveRest(own, delivery);
            },
            async (own, delivery) =>
            {
                await hasFailed.Task.WaitAsync(s_patience);
                ReceiveRest(own, delivery);
                // The third may have been begun before it is known that the task has to wait.
                if (delivery.Next is { } third)
                    own.Receive(third, third.Begun++);
            }
        );
        await StartAsync(scene, sink);
        scene.RunToRest();
        Assert.Equal([1, 2, 3, 4, 5, 6], Numbers(scene));
        Assert.Equal([0, 2, 4, 6], stored);
    }

    [Fact]
    public async Task A_pause_lets_land_what_was_begun_and_begins_nothing_more()
    {
        await using var scene = await WithDocuments(10);
        var sink = Sink(
            scene,
            async (own, delivery) =>
            {
                await delivery.Followed.WaitAsync(s_patience);
                ReceiveRest(own, delivery);
                own.Receive(delivery.Next!, delivery.Next!.Begun++);
                scene.Task.Pause();
            }
        );
        await StartAsync(scene, sink);
        scene.RunToRest();
        Assert.Equal((EtlTaskState.Paused, 4), (scene.Task.State, scene.StoredPosition()));
        Assert.Equal([1, 2, 3, 4], Numbers(scene));
        scene.Task.Resume();
        scene.RunToRest();
        Assert.Equal(Enumerable.Range(1, 10), Numbers(scene));
    }

    [Fact]
    public async Task Closing_awaits_the_answers_to_what_was_begun_of_both_deliveries_and_stores_that_position()
    {
        await using var scene = await WithDocuments(10);
        var sink = Sink(
            scene,
            async (own, delivery) =>
            {
                await delivery.Followed.WaitAsync(s_patience);
                ReceiveRest(own, delivery);
                own.Receive(delivery.Next!, delivery.Next!.Begun++);
                scene.Task.BeginClose();
            },
            (_, delivery) =>
            {
                Assert.True(delivery.IsStopping);
                delivery.Confirm(0);
                return Task.CompletedTask;
            }
        );
        await StartAsync(scene, sink);
        scene.RunToRest();
        Assert.Equal((EtlTaskState.Closed, 3), (scene.Task.State, scene.StoredPosition()));
        Assert.Equal([1, 2, 3], Numbers(scene));
    }

    [Fact]
    public async Task A_sink_that_rejects_most_messages_stops_the_task_with_what_was_begun_landed()
    {
        await using var scene = await WithDocuments(50);
        var sink = new RecordingSink(
            scene.Ledger,
            (_, delivery) =>
            {
                for (int i = 0; i < delivery.Messages.Count; i++)
                    delivery.Reject(i, "Bad.");
            }
        )
        {
            ReachesAhead = true,
            Afterwards = static () => Task.Delay(1),
        };
        await scene.StartAsync(Scene.Configuration(Scene.Transform("loadToA({ n: this.n });")) with { FailureWindow = 10 }, sink);
        scene.RunToRest();
        Assert.Equal(EtlTaskState.Stopped, scene.Task.State);
        Assert.InRange(scene.DeadLetters().Length, 10, 14);
        Assert.Equal(scene.DeadLetters().Length, scene.StoredPosition());
    }
}
