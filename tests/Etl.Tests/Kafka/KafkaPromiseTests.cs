using Jackdaw.Brokers;
using Jackdaw.Etl.Kafka;
using Xunit;

namespace Jackdaw.Etl.Tests.Kafka;

/// <summary>For consumers that read committed messages: no gap, no duplicate, order in every key; whatever dies and wherever.</summary>
[Collection(KafkaCollection.Name)]
[Trait("Category", "Slow")]
public sealed class KafkaPromiseTests(KafkaCollection.SharedBroker broker)
{
    private static readonly string[] s_failpoints =
    [
        Failpoint.Read,
        Failpoint.ScriptDeadLetters,
        Failpoint.Sending,
        Failpoint.KafkaProduced,
        Failpoint.KafkaCommitted,
        Failpoint.Sent,
        Failpoint.DeadLetters,
        Failpoint.Position,
        Failpoint.PositionStored,
    ];

    private static Dictionary<string, string> Small => new() { ["max.message.bytes"] = "20000" };

    /// <summary>Runs to the rest; after each crash with a new task, as a new process would.</summary>
    private static async Task RunThroughCrashesAsync(KafkaScene kafka, string script)
    {
        while (true)
        {
            try
            {
                await kafka.RunAsync(script);
                return;
            }
            catch (SimulatedCrashException)
            {
                // The process is gone; another one starts.
            }
        }
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task Nothing_is_missing_and_nothing_comes_twice_after_a_crash_at_every_named_step()
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        kafka.Scene.Limits = kafka.Scene.Limits with { MaxBatchDocuments = 8, MaxBatchMessages = 8 };
        // One is too large for the client, one makes the script fail: dead letters of both kinds.
        string script =
            $"if (this.throws) throw new Error('no'); loadTo('{kafka.Topic}', {{ n: "
            + $"this.n, fat: 'x'.repeat(this.fat || 0) }}, {{ PartitionKey: this.k }});";
        int written = 0;
        // Those of the transaction also in the middle of things.
        foreach (
            string failpoint in s_failpoints
                .Select(name => name + "#1")
                .Prepend($"{Failpoint.KafkaClaiming}#1")
                .Append($"{Failpoint.KafkaProduced}#2")
                .Append($"{Failpoint.KafkaCommitted}#2")
        )
        {
            await kafka.PutManyAsync(
                written,
                20,
                i =>
                    (i % 20) switch
                    {
                        3 or 13 => $"{{\"n\":{i},\"k\":\"key{i % 5}\",\"throws\":true}}",
                        1 or 11 => $"{{\"n\":{i},\"k\":\"key{i % 5}\",\"fat\":1100000}}",
                        _ => $"{{\"n\":{i},\"k\":\"key{i % 5}\"}}",
                    }
            );
            written += 20;
            int left = failpoint[^1] - '0';
            bool crashed = false;
            kafka.Scene.AtFailpoint = name =>
            {
                if (crashed || name != failpoint[..^2] || --left > 0)
                    return;
                crashed = true;
                throw new SimulatedCrashException(name);
            };
            // A start claims only where somebody wrote before: the second of two.
            if (written == 20)
                await RunThroughCrashesAsync(kafka, script);
            await RunThroughCrashesAsync(kafka, script);
            Assert.True(crashed, $"{failpoint} was not reached.");
        }
        kafka.AssertExactlyOnce(id => int.Parse(id[7..]) % 20 is not (1 or 3 or 11 or 13));
        Assert.Equal(written / 5, kafka.Scene.DeadLetters().Length);
        Assert.Equal(written * 4 / 5, kafka.Read().Count);
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task A_broker_that_restarts_in_the_middle_of_a_batch_is_waited_for()
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        kafka.Scene.Limits = kafka.Scene.Limits with { MaxBatchMessages = 50 };
        await kafka.PutManyAsync(0, 120);
        var running = await broker.StartedAsync();
        int transactions = 0;
        Task? restarted = null;
        kafka.Scene.AtFailpoint = name =>
        {
            if (name != Failpoint.KafkaProduced || ++transactions != 2)
                return;
            running.StopAsync().GetAwaiter().GetResult();
            restarted = running.StartAgainAsync();
        };
        await kafka.StartAsync();
        kafka.RunToIdle();
        Assert.NotNull(restarted);
        await restarted;
        kafka.AssertExactlyOnce();
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task A_commit_whose_answer_is_lost_is_asked_for_again()
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        kafka.IsProxied = true;
        await kafka.PutManyAsync(0, 10);
        Task? mended = null;
        kafka.Scene.AtFailpoint = name =>
        {
            if (name != Failpoint.KafkaProduced || mended is not null)
                return;
            broker.Proxy.SwallowAnswers = true;
            mended = Task.Delay(500).ContinueWith(_ => broker.Proxy.SwallowAnswers = false, TaskScheduler.Default);
        };
        await kafka.RunAsync();
        await mended!;
        Assert.Equal(1, kafka.Scene.Failpoints.Count(name => name == Failpoint.KafkaCommitted));
        kafka.AssertExactlyOnce();
    }

    [BrokerTheory(BrokerKind.Kafka)]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_commit_that_nobody_ever_heard_of_is_settled_by_the_next_start(bool reachesTheBroker)
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        kafka.IsProxied = true;
        kafka.Scene.Limits = kafka.Scene.Limits with { CloseGrace = TimeSpan.FromMilliseconds(700) };
        // Far longer than any machine stands still: what ends it is its grace.
        kafka.Times = new KafkaTimes { Transaction = TimeSpan.FromMinutes(10) };
        await kafka.PutManyAsync(0, 10);
        kafka.Scene.AtFailpoint = name =>
        {
            if (name != Failpoint.KafkaProduced)
                return;
            if (reachesTheBroker)
                broker.Proxy.SwallowAnswers = true;
            else
                broker.Proxy.Mode = ProxyMode.BlackHole;
            kafka.Scene.Task.BeginClose();
        };
        await kafka.StartAsync();
        long began = Environment.TickCount64;
        kafka.Scene.RunToRest();
        Assert.Equal(EtlTaskState.Closed, kafka.Scene.Task.State);
        Assert.DoesNotContain(Failpoint.KafkaCommitted, kafka.Scene.Failpoints);
        Assert.InRange(Environment.TickCount64 - began, 0, (long)Eventually.Patience.TotalMilliseconds);
        kafka.Scene.AtFailpoint = null;
        broker.Proxy.SwallowAnswers = false;
        broker.Proxy.CutAll();
        broker.Proxy.Mode = ProxyMode.Pass;
        kafka.IsProxied = false;
        await kafka.RunAsync();
        kafka.AssertExactlyOnce();
        // What was committed unheard was not sent again: the broker saw only one transaction.
        Assert.Equal(reachesTheBroker ? 1 : 2, kafka.Scene.Failpoints.Count(name => name == Failpoint.KafkaProduced));
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task A_broker_that_accepts_and_never_answers_is_a_fault_of_the_sink_within_its_time()
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        kafka.IsProxied = true;
        kafka.Times = new KafkaTimes { Transaction = TimeSpan.FromSeconds(6), Opening = TimeSpan.FromSeconds(5) };
        await kafka.PutManyAsync(0, 5);
        await kafka.RunAsync();
        await kafka.PutManyAsync(5, 5);
        broker.Proxy.Mode = ProxyMode.BlackHole;
        long began = Environment.TickCount64;
        Assert.NotEqual(TimeSpan.Zero, kafka.Scene.Task.RunStep());
        Assert.InRange(Environment.TickCount64 - began, 1500, (long)Eventually.Patience.TotalMilliseconds);
        Assert.Equal(EtlTaskState.Waiting, kafka.Scene.Task.State);
        Assert.Contains("no answer", kafka.Scene.Task.Status().Reason, StringComparison.Ordinal);
        broker.Proxy.CutAll();
        broker.Proxy.Mode = ProxyMode.Pass;
        kafka.RunToIdle();
        kafka.AssertExactlyOnce();
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task A_connection_cut_anywhere_leaves_neither_gap_nor_duplicate()
    {
        int seed = int.TryParse(Environment.GetEnvironmentVariable("ETL_SEED"), out int given) ? given : Random.Shared.Next(1, 100_000);
        var random = new Random(seed);
        await using var kafka = await KafkaScene.OpenAsync(broker);
        kafka.IsProxied = true;
        kafka.Scene.Limits = kafka.Scene.Limits with { MaxBatchMessages = 10 };
        await kafka.RunAsync();
        for (int round = 0; round < 8; round++)
        {
            await kafka.PutManyAsync(round * 10, 30);
            if (random.Next(2) == 0)
                broker.Proxy.CutAfterBytes(toServer: random.Next(12_000));
            else
                broker.Proxy.CutAfterBytes(toClient: random.Next(2000));
            kafka.RunToIdle();
        }
        broker.Proxy.CutAfterBytes();
        try
        {
            kafka.AssertExactlyOnce();
        }
        catch (Exception failure)
        {
            throw new InvalidOperationException($"ETL_SEED={seed}: {failure.Message}", failure);
        }
        Assert.True(broker.Proxy.Cuts > 0);
    }

    [BrokerTheory(BrokerKind.Kafka)]
    [InlineData(true)]
    [InlineData(false)]
    public async Task One_message_that_the_broker_refuses_becomes_a_dead_letter_and_the_rest_of_its_batch_arrives_once(bool isLimitKnown)
    {
        await using var kafka = await KafkaScene.OpenAsync(broker);
        await kafka.CreateTopicAsync(kafka.Topic, 1, isLimitKnown ? Small : null);
        await kafka.PutManyAsync(0, 1);
        await kafka.RunAsync();
        if (!isLimitKnown)
            await kafka.ChangeTopicAsync(kafka.Topic, Small);
        // Also the good ones together are over what this topic takes of a batch.
        await kafka.PutManyAsync(1, 40, i => $"{{\"n\":{i},\"k\":\"key{i % 5}\",\"fat\":{(i == 17 ? 30_000 : 1000)}}}");
        kafka.RunToIdle();
        kafka.AssertExactlyOnce(id => id != "orders/17");
        Assert.Contains("max.message.bytes", Assert.Single(kafka.Scene.DeadLetters()), StringComparison.Ordinal);
        Assert.Equal(40, kafka.Read().Count);
    }

    [BrokerFact(BrokerKind.Kafka)]
    public async Task At_least_once_repeats_only_after_a_crash_with_the_same_id_and_in_order()
    {
        var settings = new KafkaTaskSettings { Delivery = KafkaDelivery.AtLeastOnce };
        await using var kafka = await KafkaScene.OpenAsync(broker);
        await kafka.PutManyAsync(0, 40, i => $"{{\"n\":{i},\"k\":\"key{i % 5}\",\"fat\":{(i == 17 ? 1_100_000 : 10)}}}");
        await kafka.RunAsync(task: settings);
        kafka.AssertExactlyOnce(id => id != "orders/17");
        Assert.Single(kafka.Scene.DeadLetters());
        await kafka.PutManyAsync(40, 10);
        kafka.Scene.AtFailpoint = name =>
        {
            if (name == Failpoint.Sent)
                throw new SimulatedCrashException(name);
        };
        Assert.Throws<SimulatedCrashException>(() => kafka.Scene.Task.RunStep());
        kafka.Scene.AtFailpoint = null;
        await kafka.RunAsync(task: settings);
        var messages = kafka.Read();
        var copies = messages.GroupBy(message => message.Id).Where(group => group.Count() > 1).ToArray();
        Assert.Equal(10, copies.Length);
        Assert.All(copies, group => Assert.Equal(2, group.Count()));
        Assert.Equal(39 + 20, messages.Count);
        Assert.Equal(50, kafka.Scene.StoredPosition() - kafka.Scene.DeadLetters().Length);
    }
}
