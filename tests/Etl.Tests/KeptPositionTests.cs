using System.Globalization;
using System.Text.Json;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.DeadLetters;
using Jackdaw.Etl.Orders;
using Jackdaw.Etl.Positions;
using Jackdaw.Etl.Running;
using Jackdaw.Etl.Sinks;
using Jackdaw.Etl.Values;
using Xunit;

namespace Jackdaw.Etl.Tests;

/// <summary>Sinks that keep the positions themselves: what they keep is the truth, and nothing comes twice.</summary>
public class KeptPositionTests
{
    private const string Plain = "if (!this.skip) loadToA({ n: this.n });";

    private static int SeedCount => int.Parse(Environment.GetEnvironmentVariable("ETL_SEEDS") ?? "40", CultureInfo.InvariantCulture);

    private static EtlTaskConfiguration Task(string script = Plain) => Scene.Configuration(Scene.Transform(script));

    private static async Task<Scene> WithDocuments(int count)
    {
        var scene = await Scene.OpenAsync();
        for (int i = 1; i <= count; i++)
            await scene.PutAsync($"orders/{i}", $"{{\"n\":{i}}}");
        return scene;
    }

    [Fact]
    public async Task The_databases_copy_of_a_position_is_fresh_when_the_task_has_come_to_rest()
    {
        await using var scene = await WithDocuments(3);
        await scene.StartAsync(Task(), new KeepingSink(new KeptBroker { Ledger = scene.Ledger }));
        scene.RunToRest();
        Assert.Equal((3, 3), (scene.Ledger.Count, scene.StoredPosition()));
        // Nothing passed the script: likewise.
        await scene.PutAsync("orders/4", """{"skip":true}""");
        scene.RunToRest();
        Assert.Equal(4, scene.StoredPosition());
    }

    [Fact]
    public async Task A_copy_whose_sink_kept_the_originals_positions_says_where_both_part_and_what_each_command_does()
    {
        string folder = Directory.CreateTempSubdirectory("jackdaw-kept-copy-").FullName;
        await using (var original = await Scene.OpenAsync(Path.Combine(folder, "original")))
        {
            await original.PutAsync("orders/1", """{"n":1}""");
            await original.PutAsync("orders/2", """{"n":2}""");
            await original.StartAsync(Task(), new KeepingSink(new KeptBroker { Ledger = original.Ledger }));
            original.RunToRest();
            await original.PutAsync("users/1", "{}", "Users");
            await original.Databases.CopyAsync("shop", Path.Combine(folder, "copy"), (_, _) => { }, CancellationToken.None);
        }
        await using (var copy = await Scene.OpenAsync(Path.Combine(folder, "copy")))
        {
            await copy.StartAsync(Task(), new KeepingSink(new KeptBroker { Ledger = copy.Ledger }));
            copy.Resume();
            copy.RunToRest();
            Assert.Equal(EtlTaskState.Stopped, copy.Task.State);
            string reason = copy.Task.Status().Reason!;
            Assert.Contains("part after etag 3", reason, StringComparison.Ordinal);
            Assert.Contains("settled up to etag 2", reason, StringComparison.Ordinal);
            Assert.Contains("POST /etl/position?id=7&etag=2", reason, StringComparison.Ordinal);
            Assert.Contains("POST /etl/position?id=7&etag=3", reason, StringComparison.Ordinal);
            copy.SetPosition(null, 3);
            copy.RunToRest();
            Assert.Equal((EtlTaskState.Idle, 0), (copy.Task.State, copy.Ledger.Count));
        }
        Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public async Task No_gap_no_duplicate_and_order_in_every_key_whatever_fails_and_wherever_it_dies()
    {
        var crashed = new HashSet<string>();
        int first = int.TryParse(Environment.GetEnvironmentVariable("ETL_SEED"), out int one) ? one : 1;
        int last = one > 0 ? one : SeedCount;
        for (int seed = first; seed <= last; seed++)
            await RunAsync(seed, crashed);
        // A step at which nothing ever crashed was not tested.
        if (one == 0)
            Assert.Empty(Failpoint.All.Append("committing").Append("committed").Except(crashed));
    }

    private static async Task RunAsync(int seed, HashSet<string> crashed)
    {
        var random = new Random(seed);
        await using var scene = await Scene.OpenAsync();
        scene.Limits = scene.Limits with { MaxBatchDocuments = random.Next(1, 12), MaxBatchMessages = random.Next(1, 12) };
        var broker = new KeptBroker { Ledger = scene.Ledger };
        double trouble = 0.1;
        bool isSlow = seed % 2 == 0;
        KeepingSink? sink = null;
        void Trouble(string name)
        {
            // In a crash of this very step nothing more of the delivery happens.
            if (random.NextDouble() >= trouble)
            {
                if (name == Failpoint.OnItsWay)
                    sink!.Release();
                return;
            }
            if (Failpoint.All.Contains(name) || random.Next(3) == 0)
            {
                crashed.Add(name);
                throw new SimulatedCrashException(name);
            }
            throw new SinkException(SinkFault.Sink, $"A fault at {name}.");
        }
        KeepingSink Sink() =>
            sink = new(broker)
            {
                IsSlow = isSlow,
                At = Trouble,
                CommitsAnyway = () => random.Next(2) == 0,
                IsBad = SeededSink.IsBad,
            };
        scene.AtFailpoint = Trouble;
        var configuration = Scene.Configuration(Scene.Transform(DeliveryPropertyTests.Script) with { PublishDeletes = true }) with
        {
            MaxFailedShare = 1,
        };
        var history = new History();
        try
        {
            await scene.StartAsync(configuration, Sink(), seed);
            for (int i = 0; i < 80; i++)
            {
                await DeliveryPropertyTests.WriteAsync(scene, random, history, i);
                if (random.Next(3) == 0)
                    await StepAsync(scene, configuration, Sink, seed);
                if (random.Next(8) == 0)
                    await scene.StartAsync(configuration, Sink(), seed);
            }
            trouble = 0;
            while (!await StepAsync(scene, configuration, Sink, seed, toRest: true)) { }
            // However much went wrong, nobody who reads committed messages may see it.
            history.Check(scene, faults: 0, broker.Positions["all"].Etag);
        }
        catch (Exception failure)
        {
            throw new InvalidOperationException($"ETL_SEED={seed}: {failure.Message}", failure);
        }
    }

    private static async Task<bool> StepAsync(
        Scene scene,
        EtlTaskConfiguration configuration,
        Func<KeepingSink> sink,
        int seed,
        bool toRest = false
    )
    {
        try
        {
            for (int i = 0; toRest || i < 2; i++)
            {
                var rest = scene.Task.RunStep();
                if (rest == Timeout.InfiniteTimeSpan)
                {
                    Assert.Equal(EtlTaskState.Idle, scene.Task.State);
                    return true;
                }
                scene.Clock.Advance(rest);
            }
            return false;
        }
        catch (SimulatedCrashException)
        {
            await scene.StartAsync(configuration, sink(), seed);
            return false;
        }
    }

    [Fact]
    public async Task A_sink_that_lost_the_position_stops_the_task_until_a_person_sets_it()
    {
        await using var scene = await WithDocuments(4);
        var broker = new KeptBroker { Ledger = scene.Ledger };
        await scene.StartAsync(Task(), new KeepingSink(broker));
        scene.RunToRest();
        broker.Positions.Clear();
        await scene.StartAsync(Task(), new KeepingSink(broker));
        scene.RunToRest();
        Assert.Equal(EtlTaskState.Stopped, scene.Task.State);
        Assert.Contains("keeps no position", scene.Task.Status().Reason, StringComparison.Ordinal);
        scene.Task.Resume();
        scene.RunToRest();
        Assert.Equal(EtlTaskState.Stopped, scene.Task.State);
        scene.SetPosition(null, 2);
        scene.RunToRest();
        Assert.Equal(EtlTaskState.Idle, scene.Task.State);
        Assert.Equal([1, 2, 3, 4, 3, 4], scene.Ledger.Select(received => int.Parse(received.Text[5..^1])));
        Assert.Equal(4, broker.Positions["all"].Etag);
    }

    [Fact]
    public async Task A_persons_position_is_kept_while_the_sink_is_away_and_survives_a_restart()
    {
        await using var scene = await WithDocuments(3);
        var broker = new KeptBroker { Ledger = scene.Ledger };
        await scene.StartAsync(Task(), new KeepingSink(broker));
        scene.RunToRest();
        var away = new KeepingSink(broker) { At = _ => throw new SinkException(SinkFault.Sink, "Away.") };
        await scene.StartAsync(Task(), away);
        scene.Task.RunStep();
        scene.SetPosition("ALL", 1);
        scene.Task.RunStep();
        Assert.Equal(EtlTaskState.Waiting, scene.Task.State);
        Assert.Equal(3, broker.Positions["all"].Etag);
        await scene.StartAsync(Task(), new KeepingSink(broker));
        scene.RunToRest();
        Assert.Equal([1, 2, 3, 2, 3], scene.Ledger.Select(received => int.Parse(received.Text[5..^1])));
    }

    [Fact]
    public async Task A_task_that_is_fenced_goes_on_only_when_a_person_resumes_it_and_then_takes_over()
    {
        await using var scene = await WithDocuments(2);
        var broker = new KeptBroker { Ledger = scene.Ledger };
        string? openings = "";
        var sink = new KeepingSink(broker)
        {
            At = name =>
            {
                if (name == "opening")
                {
                    openings += ".";
                    throw new SinkException(SinkFault.Fenced, "Somebody else has it.");
                }
            },
        };
        await scene.StartAsync(Task(), sink);
        scene.RunToRest();
        Assert.Equal((EtlTaskState.Fenced, "Somebody else has it.", "."), (scene.Task.State, scene.Task.Status().Reason, openings));
        Assert.Equal(Timeout.InfiniteTimeSpan, scene.Task.RunStep());
        scene.Resume();
        scene.RunToRest();
        Assert.Equal((EtlTaskState.Idle, 1, 2), (scene.Task.State, broker.TakeOvers, scene.Ledger.Count));
    }

    [Fact]
    public async Task What_sent_nothing_is_kept_once_a_second_and_reading_it_again_sends_nothing_twice()
    {
        await using var scene = await WithDocuments(2);
        var broker = new KeptBroker { Ledger = scene.Ledger };
        await scene.StartAsync(Task(), new KeepingSink(broker));
        scene.RunToRest();
        for (int i = 0; i < 5; i++)
            await scene.PutAsync($"orders/{i + 10}", """{"n":0,"skip":true}""");
        scene.Task.RunStep();
        // Too early: the kept position is behind, and all between has sent nothing.
        Assert.Equal(2, broker.Positions["all"].Etag);
        await scene.StartAsync(Task("loadToB({ n: this.n });"), new KeepingSink(broker));
        scene.RunToRest();
        Assert.Equal(
            ["A: {\"n\":1}", "A: {\"n\":2}", .. Enumerable.Repeat("B: {\"n\":0}", 5)],
            scene.Ledger.Select(received => received.ToString())
        );
        Assert.Equal(7, broker.Positions["all"].Etag);
    }

    [Fact]
    public async Task A_position_that_counts_etags_of_an_unknown_database_stops_the_task()
    {
        await using var scene = await WithDocuments(2);
        var broker = new KeptBroker { Positions = { ["all"] = new TaskPosition(Guid.NewGuid(), 1) } };
        await scene.StartAsync(Task(), new KeepingSink(broker));
        scene.RunToRest();
        Assert.Equal(EtlTaskState.Stopped, scene.Task.State);
        Assert.Empty(broker.Ledger);
    }

    [Fact]
    public async Task A_position_that_was_ordered_reaches_the_sink_once_wherever_the_server_dies()
    {
        string[] places = [Failpoint.Position, Failpoint.PositionStored, "opening", "committing", "committed"];
        foreach (string place in places)
        {
            for (int time = 1; time <= 2; time++)
            {
                await using var scene = await WithDocuments(3);
                var broker = new KeptBroker { Ledger = scene.Ledger };
                await scene.StartAsync(Task(), new KeepingSink(broker));
                scene.RunToRest();
                int times = 0;
                void DieAt(string name)
                {
                    if (name == place && ++times == time)
                        throw new SimulatedCrashException(name);
                }
                scene.AtFailpoint = DieAt;
                scene.OrderPosition("all", 1);
                await scene.StartAsync(Task(), new KeepingSink(broker) { At = DieAt });
                bool hasDied = Record.Exception(() => scene.RunToRest()) is SimulatedCrashException;
                Assert.True(hasDied || time == 2, $"{place} was not reached.");
                scene.AtFailpoint = null;
                await scene.StartAsync(Task(), new KeepingSink(broker));
                scene.RunToRest();
                Assert.Equal(
                    (place, time, "1, 2, 3, 2, 3"),
                    (place, time, string.Join(", ", scene.Ledger.Select(received => received.Text[5..^1])))
                );
                Assert.Equal(3, broker.Positions["all"].Etag);
            }
        }
    }

    [Fact]
    public async Task A_position_that_was_ordered_in_the_original_is_none_in_a_copy()
    {
        await using var scene = await WithDocuments(2);
        await new OrderStore(scene.Database, 7).SetPositionAsync(new PositionOrder(null, Guid.NewGuid(), 1), takesOver: false);
        await scene.StartAsync(Task(), new KeepingSink(new KeptBroker { Ledger = scene.Ledger }));
        scene.RunToRest();
        Assert.Equal((EtlTaskState.Stopped, 0), (scene.Task.State, scene.Ledger.Count));
        Assert.Contains("does not come from", scene.Task.Status().Reason, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_task_that_is_to_be_taken_over_is_taken_over_after_a_restart_and_once()
    {
        await using var scene = await WithDocuments(2);
        var broker = new KeptBroker { Ledger = scene.Ledger };
        await scene.StartAsync(Task(), new KeepingSink(broker));
        scene.RunToRest();
        // The server died behind its answer.
        await new OrderStore(scene.Database, 7).ResumeAsync(takesOver: true);
        for (int start = 0; start < 2; start++)
        {
            await scene.StartAsync(Task(), new KeepingSink(broker));
            scene.RunToRest();
            Assert.Equal((EtlTaskState.Idle, 1), (scene.Task.State, broker.TakeOvers));
        }
    }

    [Fact]
    public async Task The_sinks_position_of_a_transform_that_was_taken_out_is_none_when_it_comes_back()
    {
        await using var scene = await WithDocuments(2);
        var broker = new KeptBroker { Ledger = scene.Ledger };
        await scene.StartAsync(Task(), new KeepingSink(broker));
        scene.RunToRest();
        await scene.Database.SubmitAsync(
            new StoreValuesOperation().Set(TaskPosition.Key(7, "all"), TaskPosition.Forgotten(scene.Database.Id).ToBytes())
        );
        for (int start = 0; start < 2; start++)
        {
            await scene.StartAsync(Task(), new KeepingSink(broker));
            scene.RunToRest();
            Assert.Equal(["1", "2", "1", "2"], scene.Ledger.Select(received => received.Text[5..^1]));
        }
    }

    [Fact]
    public async Task A_retry_that_arrived_before_a_crash_is_not_forgotten_over_an_order()
    {
        await using var scene = await WithDocuments(1);
        bool isBad = true;
        bool isAway = false;
        var broker = new KeptBroker { Ledger = scene.Ledger };
        var configuration = Task() with { MaxFailedShare = 1 };
        await scene.StartAsync(
            configuration,
            new KeepingSink(broker)
            {
                IsBad = _ => isBad,
                CommitsAnyway = () => true,
                At = name => _ = name == "committing" && isAway ? throw new SinkException(SinkFault.Sink, "No answer.") : 0,
            }
        );
        scene.RunToRest();
        (isBad, isAway) = (false, true);
        scene.Task.Retry(new RetryRequest(new DeadLetterFilter { TaskId = 7 }, asStored: false, scene.Database.LastDurableEtag));
        scene.Task.RunStep();
        Assert.Equal(EtlTaskState.Waiting, scene.Task.State);
        scene.OrderPosition(null, scene.Database.LastDurableEtag);
        await scene.StartAsync(configuration, new KeepingSink(broker));
        scene.RunToRest();
        Assert.Single(scene.Ledger);
        Assert.Empty(scene.DeadLetters());
    }

    [Fact]
    public async Task A_retry_that_was_given_up_with_an_unknown_outcome_is_not_sent_twice()
    {
        await using var scene = await WithDocuments(1);
        bool isBad = true;
        bool isAway = false;
        var broker = new KeptBroker { Ledger = scene.Ledger };
        var configuration = Task() with { MaxFailedShare = 1 };
        await scene.StartAsync(
            configuration,
            new KeepingSink(broker)
            {
                IsBad = _ => isBad,
                CommitsAnyway = () => true,
                At = name => _ = name == "committing" && isAway ? throw new SinkException(SinkFault.Sink, "No answer.") : 0,
            }
        );
        scene.RunToRest();
        Assert.Single(scene.DeadLetters());
        (isBad, isAway) = (false, true);
        var request = new RetryRequest(new DeadLetterFilter { TaskId = 7 }, asStored: false, scene.Database.LastDurableEtag);
        scene.Task.Retry(request);
        scene.Task.RunStep();
        Assert.Equal(EtlTaskState.Waiting, scene.Task.State);
        scene.Task.Pause();
        scene.RunToRest();
        Assert.Equal("The task is Paused.", request.Outcome(7, "").Reason);
        isAway = false;
        scene.Task.Resume();
        scene.RunToRest();
        var again = new RetryRequest(new DeadLetterFilter { TaskId = 7 }, asStored: false, scene.Database.LastDurableEtag);
        scene.Task.Retry(again);
        scene.RunToRest();
        Assert.Single(scene.Ledger);
        Assert.Empty(scene.DeadLetters());
    }
}
