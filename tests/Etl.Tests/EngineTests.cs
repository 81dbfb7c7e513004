using System.Text.Json;
using Jackdaw.Documents.Commands;
using Jackdaw.Documents.Errors;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.DeadLetters;
using Jackdaw.Etl.Messages;
using Jackdaw.Etl.Positions;
using Jackdaw.Etl.Running;
using Jackdaw.Etl.Sinks;
using Jackdaw.Etl.Transforming;
using Jackdaw.Etl.Values;
using Xunit;

namespace Jackdaw.Etl.Tests;

public class EngineTests
{
    private const string Plain = "loadToA({ n: this.n });";

    private static async Task<Scene> WithDocuments(int count)
    {
        var scene = await Scene.OpenAsync();
        for (int i = 1; i <= count; i++)
            await scene.PutAsync($"orders/{i}", $"{{\"n\":{i}}}");
        return scene;
    }

    private static EtlTaskConfiguration Configured(string script = Plain) => Scene.Configuration(Scene.Transform(script));

    [Fact]
    public async Task A_new_task_goes_on_where_the_former_ended()
    {
        await using var scene = await WithDocuments(3);
        await scene.StartAsync(Configured());
        scene.RunToRest();
        Assert.Equal(3, scene.StoredPosition());
        await scene.PutAsync("orders/2", """{"n":22}""");
        await scene.StartAsync(Configured("loadToB({ changed: this.n });"));
        scene.RunToRest();
        Assert.Equal(
            ["A: {\"n\":1}", "A: {\"n\":2}", "A: {\"n\":3}", "B: {\"changed\":22}"],
            scene.Ledger.Select(received => received.ToString())
        );
        Assert.Equal(EtlTaskState.Idle, scene.Task.State);
    }

    [Fact]
    public async Task Batches_end_at_their_bounds_and_nothing_is_lost_between_them()
    {
        await using var scene = await WithDocuments(10);
        scene.Limits = scene.Limits with { MaxBatchDocuments = 3, MaxBatchMessages = 4 };
        await scene.StartAsync(Configured("loadToA({ n: this.n }); if (this.n % 2) loadToA({ n: -this.n });"));
        scene.RunToRest();
        Assert.Equal(15, scene.Ledger.Count);
        Assert.Equal(Enumerable.Range(1, 10), scene.Ledger.Select(received => int.Parse(received.Text[5..^1])).Where(n => n > 0));
        Assert.True(scene.Task.Status().Batches >= 4);
    }

    [Fact]
    public async Task A_fault_of_the_sink_is_waited_out_with_growing_pauses_and_only_the_rest_is_sent_again()
    {
        await using var scene = await WithDocuments(4);
        int faults = 0;
        var sink = new RecordingSink(
            scene.Ledger,
            (own, delivery) =>
            {
                for (int i = 0; i < delivery.Messages.Count; i++)
                {
                    if (delivery.IsSettled(i))
                        continue;
                    if (i == 2 && faults++ < 6)
                    {
                        delivery.Try(i);
                        throw new SinkException(SinkFault.Sink, "The line is dead.");
                    }
                    own.Receive(delivery, i);
                    delivery.Confirm(i);
                }
            }
        );
        await scene.StartAsync(Configured(), sink);
        var pauses = new List<TimeSpan>();
        while (scene.Task.RunStep() is var rest && rest != Timeout.InfiniteTimeSpan)
        {
            if (rest == TimeSpan.Zero)
                continue;
            Assert.Equal((EtlTaskState.Waiting, "The line is dead."), (scene.Task.State, scene.Task.Status().Reason));
            Assert.Equal(2, scene.StoredPosition());
            pauses.Add(rest);
            // Too early: nothing happens.
            Assert.Equal(rest, scene.Task.RunStep());
            scene.Clock.Advance(rest);
        }
        Assert.Equal(6, pauses.Count);
        Assert.All(
            pauses.Index().Skip(1),
            pause => Assert.InRange(pause.Item.TotalMilliseconds, 50 * (1 << (pause.Index - 1)), 100 * (1 << pause.Index))
        );
        Assert.Equal([1, 2, 3, 4], scene.Ledger.Select(received => int.Parse(received.Text[5..^1])));
        Assert.Equal([1, 1, 7, 1], scene.Ledger.Select(received => received.Attempt));
        Assert.Equal(7, sink.Openings);
        Assert.Equal(4, scene.StoredPosition());
    }

    [Fact]
    public async Task The_order_of_a_key_is_kept_when_the_database_takes_no_position_while_a_fault_is_dealt_with()
    {
        await using var scene = await WithDocuments(3);
        bool hasFailed = false;
        var sink = new RecordingSink(
            scene.Ledger,
            (own, delivery) =>
            {
                if (hasFailed)
                {
                    own.ReceiveRest(delivery);
                    return;
                }
                hasFailed = true;
                foreach (int i in new[] { 0, 2 })
                {
                    own.Receive(delivery, i);
                    delivery.Confirm(i);
                }
                throw new SinkException(SinkFault.Sink, "The second one was refused.");
            }
        );
        bool wasFull = false;
        scene.AtFailpoint = name =>
        {
            if (name != Failpoint.Position || !hasFailed || wasFull)
                return;
            wasFull = true;
            throw new MergerQueueFullException("shop", 1, 1);
        };
        await scene.StartAsync(Configured("loadToA({ n: this.n }, { PartitionKey: 'one' });"), sink);
        scene.RunToRest();
        Assert.True(wasFull);
        Assert.Equal(
            ["A: {\"n\":1}", "A: {\"n\":3}", "A: {\"n\":2}", "A: {\"n\":3}"],
            scene.Ledger.Select(received => received.ToString())
        );
    }

    [Fact]
    public async Task A_sink_that_cannot_be_opened_is_waited_for_as_long_as_it_asks()
    {
        await using var scene = await WithDocuments(1);
        var sink = new RecordingSink(scene.Ledger);
        sink.Opening = () =>
        {
            if (sink.Openings == 1)
                throw new SinkException(SinkFault.Sink, "Not yet.", retryAfter: TimeSpan.FromMinutes(3));
        };
        await scene.StartAsync(Configured(), sink);
        Assert.Equal(TimeSpan.FromMinutes(3), scene.Task.RunStep());
        scene.Clock.Advance(TimeSpan.FromMinutes(3));
        scene.RunToRest();
        Assert.Single(scene.Ledger);
    }

    [Fact]
    public async Task A_pause_that_a_sink_asks_for_is_capped()
    {
        await using var scene = await WithDocuments(1);
        var sink = new RecordingSink(scene.Ledger);
        sink.Opening = () =>
        {
            if (sink.Openings == 1)
                throw new SinkException(SinkFault.Sink, "Not yet.", retryAfter: TimeSpan.FromSeconds(100_000_000));
        };
        await scene.StartAsync(Configured(), sink);
        Assert.Equal(TimeSpan.FromMinutes(5), scene.Task.RunStep());
        Assert.Equal(scene.Clock.GetUtcNow() + TimeSpan.FromMinutes(5), scene.Task.Status().NextTry);
        scene.Clock.Advance(TimeSpan.FromMinutes(5));
        scene.RunToRest();
        Assert.Single(scene.Ledger);
        Assert.Null(scene.Task.Status().NextTry);
    }

    [Fact]
    public async Task What_a_sink_rejects_becomes_a_dead_letter_before_the_position_passes_it()
    {
        await using var scene = await WithDocuments(3);
        var sink = new RecordingSink(
            scene.Ledger,
            (own, delivery) =>
            {
                for (int i = 0; i < delivery.Messages.Count; i++)
                {
                    if (i == 1)
                        delivery.Reject(i, "Too sour.");
                    else
                        delivery.Confirm(i);
                }
            }
        );
        scene.AtFailpoint = name =>
        {
            if (name == Failpoint.DeadLetters)
            {
                Assert.Single(scene.DeadLetters());
                Assert.Equal(0, scene.StoredPosition());
            }
        };
        await scene.StartAsync(Configured(), sink);
        scene.RunToRest();
        Assert.Contains(Failpoint.DeadLetters, scene.Failpoints);
        using var letter = JsonDocument.Parse(Assert.Single(scene.DeadLetters()));
        var members = letter.RootElement;
        Assert.Equal(
            ("Too sour.", "orders/2", "A", "{\"n\":2}", 1),
            (
                members.GetProperty("Reason").GetString(),
                members.GetProperty("DocumentId").GetString(),
                members.GetProperty("Target").GetString(),
                members.GetProperty("Payload").GetString(),
                members.GetProperty("Number").GetInt32()
            )
        );
        // The dead letter is a document too, of no collection of the task's.
        Assert.Equal(4, scene.StoredPosition());
    }

    [Fact]
    public async Task A_sink_that_delivers_all_or_nothing_is_called_again_without_what_it_rejected()
    {
        await using var scene = await WithDocuments(4);
        int calls = 0;
        var sink = new RecordingSink(
            scene.Ledger,
            (own, delivery) =>
            {
                int bad = Enumerable.Range(0, 4).FirstOrDefault(i => !delivery.IsSettled(i) && i is 1 or 2 && !delivery.IsSettled(i), -1);
                calls++;
                if (bad >= 0)
                {
                    delivery.Reject(bad, "Bad.");
                    return;
                }
                for (int i = 0; i < 4; i++)
                {
                    if (delivery.IsSettled(i))
                        continue;
                    own.Receive(delivery, i);
                    delivery.Confirm(i);
                }
            }
        );
        await scene.StartAsync(Configured(), sink);
        scene.RunToRest();
        Assert.Equal(3, calls);
        Assert.Equal(["A: {\"n\":1}", "A: {\"n\":4}"], scene.Ledger.Select(received => received.ToString()));
        Assert.Equal(2, scene.DeadLetters().Length);
    }

    [Fact]
    public async Task A_fault_of_the_task_stops_it_until_it_is_resumed()
    {
        await using var scene = await WithDocuments(2);
        bool isWrong = true;
        var sink = new RecordingSink(scene.Ledger)
        {
            Opening = () =>
            {
                if (isWrong)
                    throw new SinkException(SinkFault.Task, "The password is wrong.");
            },
        };
        await scene.StartAsync(Configured(), sink);
        scene.RunToRest();
        Assert.Equal((EtlTaskState.Stopped, "The password is wrong."), (scene.Task.State, scene.Task.Status().Reason));
        isWrong = false;
        scene.RunToRest();
        Assert.Empty(scene.Ledger);
        scene.Task.Resume();
        scene.RunToRest();
        Assert.Equal(2, scene.Ledger.Count);
    }

    [Fact]
    public async Task A_script_that_fails_for_most_documents_stops_the_task_instead_of_burying_them_all()
    {
        await using var scene = await WithDocuments(50);
        await scene.StartAsync(Configured("if (this.n > 10) throw 'no'; loadToA(this);") with { FailureWindow = 10 });
        scene.RunToRest();
        Assert.Equal(EtlTaskState.Stopped, scene.Task.State);
        Assert.InRange(scene.DeadLetters().Length, 6, 12);
        Assert.Equal(10 + scene.DeadLetters().Length, scene.StoredPosition());
    }

    [Fact]
    public async Task A_sink_that_rejects_most_messages_stops_the_task()
    {
        await using var scene = await WithDocuments(50);
        scene.Limits = scene.Limits with { MaxBatchDocuments = 5 };
        await scene.StartAsync(
            Configured() with
            {
                FailureWindow = 10,
            },
            new RecordingSink(
                scene.Ledger,
                (_, delivery) =>
                {
                    for (int i = 0; i < delivery.Messages.Count; i++)
                        delivery.Reject(i, "Bad.");
                }
            )
        );
        scene.RunToRest();
        Assert.Equal((EtlTaskState.Stopped, 10), (scene.Task.State, scene.DeadLetters().Length));
        scene.Task.Resume();
        scene.RunToRest();
        Assert.Equal(20, scene.DeadLetters().Length);
    }

    [Fact]
    public async Task A_deep_document_that_somebody_wrote_among_the_dead_letters_is_none_and_disturbs_no_task()
    {
        await using var scene = await WithDocuments(1);
        await scene.PutAsync("mine", $$"""{"deep":{{new string('[', 400)}}{{new string(']', 400)}}}""", DeadLetter.Collection);
        await scene.StartAsync(Configured());
        scene.RunToRest();
        Assert.Equal((EtlTaskState.Idle, 1), (scene.Task.State, scene.Ledger.Count));
    }

    [Fact]
    public async Task A_task_over_the_dead_letters_cannot_feed_itself()
    {
        await using var scene = await WithDocuments(2);
        const string Fails = "throw new Error('No.'); loadToA(this);";
        await scene.StartAsync(
            Scene.Configuration(Scene.Transform(Fails), Scene.Transform(Fails, DeadLetter.Collection) with { Name = "Letters" }) with
            {
                MaxFailedShare = 1,
            }
        );
        scene.RunToRest(atMost: 100);
        // Of each document, and of each of these.
        Assert.Equal((EtlTaskState.Idle, 4), (scene.Task.State, scene.DeadLetters().Length));
    }

    [Fact]
    public async Task A_batch_of_large_dead_letters_is_written_in_parts()
    {
        await using var scene = await Scene.OpenAsync();
        for (int i = 0; i < 40; i++)
            await scene.PutAsync($"orders/{i}", $$"""{"n":{{i}},"text":"{{new string('x', 60_000)}}"}""");
        await scene.StartAsync(
            Configured("loadToA(this);") with
            {
                MaxFailedShare = 1,
            },
            new RecordingSink(
                scene.Ledger,
                (_, delivery) =>
                {
                    for (int i = 0; i < delivery.Messages.Count; i++)
                        delivery.Reject(i, "Bad.");
                }
            )
        );
        scene.RunToRest();
        Assert.Equal(40, scene.DeadLetters().Length);
        Assert.All(scene.DeadLetters(), letter => Assert.Contains(new string('x', 60_000), letter, StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_position_of_another_database_or_time_stops_the_task_until_a_person_chooses()
    {
        await using var scene = await WithDocuments(3);
        foreach (var position in new[] { new TaskPosition(Guid.NewGuid(), 2), new TaskPosition(scene.Database.Id, 4000) })
        {
            await scene.Database.SubmitAsync(new StoreValuesOperation().Set(TaskPosition.Key(7, "All"), position.ToBytes()));
            await scene.StartAsync(Configured());
            scene.RunToRest();
            Assert.Equal(EtlTaskState.Stopped, scene.Task.State);
            Assert.Empty(scene.Ledger);
            scene.SetPosition("all", 2);
            scene.RunToRest();
            Assert.Equal("A: {\"n\":3}", Assert.Single(scene.Ledger).ToString());
            scene.Ledger.Clear();
        }
    }

    [Fact]
    public async Task A_persons_position_is_not_forgotten_when_the_database_cannot_take_it_just_then()
    {
        await using var scene = await WithDocuments(3);
        await scene.Database.SubmitAsync(
            new StoreValuesOperation().Set(TaskPosition.Key(7, "All"), new TaskPosition(Guid.NewGuid(), 2).ToBytes())
        );
        await scene.StartAsync(Configured());
        scene.RunToRest();
        Assert.Equal(EtlTaskState.Stopped, scene.Task.State);
        int times = 0;
        scene.AtFailpoint = name =>
        {
            if (name == Failpoint.Position && times++ == 0)
                throw new MergerQueueFullException("shop", 1, 1);
        };
        scene.SetPosition(null, 2);
        scene.RunToRest();
        Assert.Equal("A: {\"n\":3}", Assert.Single(scene.Ledger).ToString());
        Assert.Equal((EtlTaskState.Idle, 3), (scene.Task.State, scene.StoredPosition()));
    }

    [Fact]
    public async Task A_long_stretch_that_a_transform_is_not_for_is_passed_in_parts()
    {
        await using var scene = await Scene.OpenAsync();
        // Of a collection that a transform over all documents passes by.
        var batch = BatchOperation.Rent();
        for (int i = 0; i < 3000; i++)
        {
            var put = batch.AddPut();
            put.SetId($"others/{i}");
            put.SetDocument("""{"@metadata":{"@collection":"@others"}}"""u8.ToArray(), scene.Database.Limits);
        }
        await scene.Database.SubmitAsync(batch);
        batch.Return();
        using var engine = new Scripting.ScriptEngine();
        var options = new EtlOptions { Limits = scene.Limits with { MaxBatchTime = TimeSpan.Zero }, Clock = scene.Clock };
        var configuration = Scene.Configuration(Scene.Transform(Plain) with { ApplyToAllDocuments = true });
        var transform = configuration.Transforms[0];
        var run = new TransformRun(0, transform, new EventNaming(configuration, transform, scene.Database, null))
        {
            Script = TransformScript.Compile(engine, transform),
        };
        using var reader = new BatchReader(
            scene.Database,
            configuration,
            [run],
            options,
            new FailureWindow(100, 1),
            new RateLimits(scene.Clock, RateLimit.None),
            new OwnDeletions(scene.Database, configuration, scene.Clock),
            false
        );
        int parts = 0;
        while (reader.Read(run) is { } made)
        {
            Assert.True(made.IsEmpty);
            parts++;
        }
        Assert.Equal(scene.Database.LastDurableEtag, run.ReadTo);
        Assert.Equal(3, parts);
    }

    [Fact]
    public async Task A_transform_starts_where_it_is_told_to_and_remembers_that_moment()
    {
        await using var scene = await WithDocuments(3);
        var between = DateTime.UtcNow.AddHours(-1);
        foreach (
            var (start, expected) in new[]
            {
                (StartPosition.Now, 0),
                (StartPosition.After(2), 1),
                (StartPosition.From(between), 3),
                (StartPosition.From(DateTime.UtcNow.AddHours(1)), 0),
            }
        )
        {
            await scene.Database.SubmitAsync(new StoreValuesOperation().Remove(TaskPosition.Key(7, "All")));
            var configuration = Scene.Configuration(Scene.Transform(Plain) with { Start = start });
            scene.Ledger.Clear();
            await scene.StartAsync(configuration);
            scene.RunToRest();
            Assert.Equal(expected, scene.Ledger.Count);
            await scene.PutAsync("orders/1", """{"n":1}""");
            await scene.StartAsync(configuration);
            scene.RunToRest();
            Assert.Equal(expected + 1, scene.Ledger.Count);
            await scene.PutAsync("orders/2", """{"n":2}""");
            await scene.PutAsync("orders/3", """{"n":3}""");
            await scene.Database.SubmitAsync(new StoreValuesOperation().Remove(TaskPosition.Key(7, "All")));
            if (start == StartPosition.Now)
                break;
        }
    }

    [Fact]
    public async Task While_nothing_passes_the_script_a_position_is_stored_once_a_second_at_most()
    {
        await using var scene = await WithDocuments(1);
        await scene.StartAsync(Configured("if (this.n > 1000) loadToA(this);"));
        scene.RunToRest();
        int before = scene.Failpoints.Count(name => name == Failpoint.PositionStored);
        for (int i = 0; i < 30; i++)
        {
            await scene.PutAsync("orders/x", "{}");
            scene.Task.RunStep();
            scene.Clock.Advance(TimeSpan.FromMilliseconds(100));
        }
        Assert.InRange(scene.Failpoints.Count(name => name == Failpoint.PositionStored) - before, 2, 4);
        scene.RunToRest();
        Assert.Equal(scene.Database.LastDurableEtag, scene.StoredPosition());
    }

    [Fact]
    public async Task A_paused_task_sends_nothing_and_goes_on_when_resumed()
    {
        await using var scene = await WithDocuments(1);
        await scene.StartAsync(Configured());
        scene.Task.Pause();
        scene.RunToRest();
        Assert.Equal((EtlTaskState.Paused, 0), (scene.Task.State, scene.Ledger.Count));
        Assert.Equal(1, scene.Task.Status().Transforms[0].DocumentsBehind);
        scene.Task.Resume();
        scene.RunToRest();
        Assert.Single(scene.Ledger);
        Assert.Equal(0, scene.Task.Status().Transforms[0].EtagsBehind);
    }

    [Fact]
    public async Task A_task_with_a_thread_sends_what_is_committed_and_ends_when_the_sink_hangs()
    {
        await using var scene = await Scene.OpenAsync();
        var sink = new HangingSink();
        using var engine = new Scripting.ScriptEngine();
        var task = new EtlTask(
            Configured(),
            scene.Database,
            engine,
            sink,
            new EtlOptions { Limits = new EtlLimits { CloseGrace = TimeSpan.FromMilliseconds(200) } }
        );
        await using (var thread = new EtlTaskThread(task, scene.Database, "out"))
        {
            await scene.PutAsync("orders/1", """{"n":1}""");
            await sink.First.WaitAsync(Eventually.Patience);
            await scene.PutAsync("orders/2", """{"n":2}""");
            await sink.Hanging.WaitAsync(Eventually.Patience);
        }
        Assert.Equal(EtlTaskState.Closed, task.State);
        Assert.Equal(1, scene.StoredPosition());
    }

    [Fact]
    public async Task An_unexpected_error_ends_the_loop_with_its_whole_text_and_passes_nothing()
    {
        await using var scene = await WithDocuments(1);
        var sink = new RecordingSink(scene.Ledger, (_, _) => throw new InvalidTimeZoneException("Odd."));
        using var engine = new Scripting.ScriptEngine();
        var task = new EtlTask(Configured(), scene.Database, engine, sink, new EtlOptions());
        await using var thread = new EtlTaskThread(task, scene.Database, "out");
        await Eventually.IsAsync(() => task.State == EtlTaskState.Faulted);
        Assert.Contains(nameof(InvalidTimeZoneException), task.Status().Reason, StringComparison.Ordinal);
        Assert.Equal(0, scene.StoredPosition());
    }

    [Fact]
    public async Task The_next_batch_is_made_while_one_is_on_its_way()
    {
        await using var scene = await WithDocuments(6);
        scene.Limits = scene.Limits with { MaxBatchDocuments = 2 };
        using var isRead = new SemaphoreSlim(0);
        scene.AtFailpoint = name =>
        {
            if (name == Failpoint.Read)
                isRead.Release();
        };
        int deliveries = 0;
        var sink = new RecordingSink(
            scene.Ledger,
            (own, delivery) =>
            {
                deliveries++;
                own.ReceiveRest(delivery);
            }
        )
        {
            // Its own, and but for the last one that of the next.
            Afterwards = () =>
                Task.Run(() =>
                {
                    for (int i = deliveries == 1 ? 0 : 1; i < (deliveries == 3 ? 1 : 2); i++)
                        Assert.True(isRead.Wait(Eventually.Patience), "The next batch is not made meanwhile.");
                }),
        };
        await scene.StartAsync(Configured(), sink);
        scene.RunToRest();
        Assert.Equal(3, deliveries);
        Assert.Equal(["1", "2", "3", "4", "5", "6"], scene.Ledger.Select(received => received.Text[5..^1]));
        Assert.Equal(6, scene.StoredPosition());
    }

    [Fact]
    public async Task What_was_made_ahead_is_made_anew_when_a_person_sets_the_position()
    {
        await using var scene = await WithDocuments(6);
        scene.Limits = scene.Limits with { MaxBatchDocuments = 2 };
        int batches = 0;
        scene.AtFailpoint = name => batches += name == Failpoint.Read ? 1 : 0;
        int faults = 0;
        var sink = new RecordingSink(scene.Ledger)
        {
            Afterwards = async () =>
            {
                await Task.Yield();
                while (scene.Ledger.Count == 4 && Volatile.Read(ref batches) < 3)
                    await Task.Delay(1);
                if (scene.Ledger.Count == 4 && faults++ == 0)
                    throw new SinkException(SinkFault.Sink, "The line is dead.");
            },
        };
        await scene.StartAsync(Configured(), sink);
        while (faults == 0)
            scene.Task.RunStep();
        // Changes 5 and 6 are in memory.
        await scene.PutAsync("orders/5", """{"n":55}""");
        scene.SetPosition(null, 0);
        scene.RunToRest();
        Assert.Equal(["1", "2", "3", "4", "1", "2", "3", "4", "6", "55"], scene.Ledger.Select(received => received.Text[5..^1]));
    }

    [Fact]
    public async Task Changes_that_were_read_ahead_and_send_nothing_are_behind_the_position()
    {
        await using var scene = await WithDocuments(7);
        scene.Limits = scene.Limits with { MaxBatchDocuments = 2 };
        await scene.StartAsync(Configured("if (this.n < 3) loadToA({ n: this.n });"));
        scene.RunToRest();
        Assert.Equal(2, scene.Ledger.Count);
        Assert.Equal(7, scene.Task.Status().Transforms[0].Etag);
        Assert.Equal(7, scene.StoredPosition());
    }
}
