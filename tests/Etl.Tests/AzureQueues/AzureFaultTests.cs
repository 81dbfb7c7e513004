using System.Globalization;
using Jackdaw.Brokers;
using Jackdaw.Etl.AzureQueues;
using Jackdaw.Etl.Running;
using Xunit;

namespace Jackdaw.Etl.Tests.AzureQueues;

/// <summary>A connection that is lost at every place, and an account that does not answer: no gap, and no duplicate but under the
/// same id.</summary>
[Collection(AzuriteFixture.Collection)]
[Trait("Category", "Slow")]
public class AzureFaultTests(AzuriteFixture azurite)
{
    private const int Documents = 300;

    private static readonly Scripting.ScriptEngine s_engine = new();

    private readonly AzureReceiver _receiver = new(azurite.Broker);

    private AzureQueueSettings Through(CuttingProxy proxy, TimeSpan timeout) =>
        new() { ConnectionString = azurite.Broker.ConnectionStringOver(proxy.Port, azurite.Broker.BlobPort), Timeout = timeout };

    public enum Cut
    {
        InRequests,
        InAnswers,
        BeforeAnswers,
        AnyTime,
    }

    [BrokerTheory(BrokerKind.Azurite)]
    [InlineData(Cut.InRequests)]
    [InlineData(Cut.InAnswers)]
    [InlineData(Cut.BeforeAnswers)]
    [InlineData(Cut.AnyTime)]
    public async Task A_connection_that_is_cut_leaves_no_gap_and_duplicates_have_the_same_id(Cut cut)
    {
        int seed = int.TryParse(Environment.GetEnvironmentVariable("ETL_SEED"), CultureInfo.InvariantCulture, out int given)
            ? given
            : Random.Shared.Next();
        var random = new Random(seed);
        await using var proxy = CuttingProxy.Start(azurite.Broker.QueuePort);
        await using var scene = await Scene.OpenAsync();
        var ids = new Dictionary<string, string>();
        for (int i = 0; i < Documents; i++)
            ids[$"orders/{i}"] = await scene.PutAsync($"orders/{i}", $"{{\"n\":{i}}}");
        var options = new EtlOptions
        {
            Limits = EtlLimits.Default with
            {
                FirstPause = TimeSpan.FromMilliseconds(10),
                LongestPause = TimeSpan.FromMilliseconds(50),
                MaxBatchMessages = 100,
            },
        };
        using var watch = new KeyWatch();
        var configuration = Scene.Configuration(
            Scene.Transform($"loadTo('{_receiver.Queue.Name}', this, {{ PartitionKey: 'k' + this.n % 40 }});")
        );
        var task = new EtlTask(
            configuration,
            scene.Database,
            s_engine,
            // A request that a cut leaves without an answer costs this much time.
            new AzureQueueSink(Through(proxy, TimeSpan.FromSeconds(5)), TimeProvider.System, watch),
            options
        );
        int cuts = 0;
        await using (var thread = new EtlTaskThread(task, scene.Database, "out"))
        {
            await Eventually.IsAsync(async () =>
            {
                if (cuts < 8 && proxy.BytesToServer > 0)
                {
                    await CutAsync(proxy, cut, random, () => task.State == EtlTaskState.Idle);
                    cuts++;
                }
                return task.State == EtlTaskState.Idle;
            });
        }
        string told = $"ETL_SEED={seed}, {task.Status()}";
        Assert.True(scene.StoredPosition() == Documents, told);
        Assert.True(task.Status().Retries > 0, told);
        Assert.Equal(0, watch.Collisions);
        var arrived = await _receiver.TakeAsync();
        var copies = arrived
            .GroupBy(one => one.GetProperty("subject").GetString()!)
            .ToDictionary(group => group.Key, group => group.ToArray());
        Assert.True(copies.Count == Documents, $"{copies.Count} of {Documents} arrived; {told}");
        Assert.All(copies, pair => Assert.All(pair.Value, one => Assert.Equal(ids[pair.Key], one.GetProperty("id").GetString())));
        Assert.Empty(scene.DeadLetters());
        if (cut == Cut.BeforeAnswers)
            Assert.Contains(copies, pair => pair.Value.Length > 1);
    }

    private static async Task CutAsync(CuttingProxy proxy, Cut cut, Random random, Func<bool> isDone)
    {
        switch (cut)
        {
            case Cut.InRequests:
                proxy.CutAfterBytes(toServer: random.Next(4000));
                break;
            case Cut.InAnswers:
                proxy.CutAfterBytes(toClient: random.Next(2000));
                break;
            case Cut.BeforeAnswers:
                proxy.SwallowAnswers = true;
                await Eventually.IsAsync(() => proxy.HasSwallowed || isDone());
                await Task.Delay(random.Next(20));
                proxy.SwallowAnswers = false;
                break;
            default:
                proxy.CutAll();
                break;
        }
        await Task.Delay(random.Next(30));
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task An_account_that_never_answers_is_waited_out_at_the_time_out_and_nothing_is_lost()
    {
        await using var proxy = CuttingProxy.Start(azurite.Broker.QueuePort);
        await using var scene = await Scene.OpenAsync();
        for (int i = 0; i < 20; i++)
            await scene.PutAsync($"orders/{i}", $"{{\"n\":{i}}}");
        await scene.StartAsync(
            Scene.Configuration(Scene.Transform(_receiver.Script)),
            new AzureQueueSink(Through(proxy, TimeSpan.FromSeconds(1.5)), scene.Clock)
        );
        proxy.Mode = ProxyMode.BlackHole;
        var rest = scene.Task.RunStep();
        Assert.Equal(EtlTaskState.Waiting, scene.Task.State);
        Assert.EndsWith("Azure did not answer within 1.5 s.", scene.Task.Status().Reason, StringComparison.Ordinal);
        proxy.Mode = ProxyMode.Refuse;
        scene.Clock.Advance(rest);
        rest = scene.Task.RunStep();
        Assert.Equal(EtlTaskState.Waiting, scene.Task.State);
        Assert.Contains("cannot be reached", scene.Task.Status().Reason, StringComparison.Ordinal);
        proxy.Mode = ProxyMode.Pass;
        scene.Clock.Advance(rest);
        scene.RunToRest();
        Assert.Equal((EtlTaskState.Idle, 20), (scene.Task.State, scene.StoredPosition()));
        Assert.Equal(20, (await _receiver.TakeAsync()).Select(one => one.GetProperty("id").GetString()).Distinct().Count());
    }

    [BrokerFact(BrokerKind.Azurite)]
    public async Task A_task_that_is_stopped_at_any_step_goes_on_without_a_gap()
    {
        await using var scene = await Scene.OpenAsync();
        scene.Limits = scene.Limits with { MaxBatchMessages = 10 };
        for (int i = 0; i < 120; i++)
            await scene.PutAsync($"orders/{i}", i % 20 == 7 ? """{"bad":true}""" : "{}");
        var configuration = Scene.Configuration(
            Scene.Transform($"if (this.bad) loadTo('no_queue' + '', this); else loadTo('{_receiver.Queue.Name}', this);")
        ) with
        {
            MaxFailedShare = 1,
        };
        string[] steps =
        [
            Failpoint.Read,
            Failpoint.Sending,
            Failpoint.Sent,
            Failpoint.DeadLetters,
            Failpoint.Position,
            Failpoint.PositionStored,
        ];
        int stops = 0;
        foreach (string step in steps)
        {
            int left = 1;
            scene.AtFailpoint = name =>
            {
                if (name == step && left-- == 0)
                    throw new SimulatedCrashException(name);
            };
            await scene.StartAsync(
                configuration,
                new AzureQueueSink(new AzureQueueSettings { ConnectionString = azurite.Broker.ConnectionString }, scene.Clock)
            );
            try
            {
                scene.RunToRest();
            }
            catch (SimulatedCrashException)
            {
                stops++;
            }
            await scene.PutAsync($"orders/more-{step.Replace('/', '-')}", "{}");
        }
        scene.AtFailpoint = null;
        await scene.StartAsync(
            configuration,
            new AzureQueueSink(new AzureQueueSettings { ConnectionString = azurite.Broker.ConnectionString }, scene.Clock)
        );
        scene.RunToRest();
        Assert.Equal(steps.Length, stops);
        var copies = (await _receiver.TakeAsync()).GroupBy(one => one.GetProperty("subject").GetString()).ToArray();
        Assert.Equal(114 + steps.Length, copies.Length);
        Assert.All(copies, group => Assert.Single(group.Select(one => one.GetProperty("id").GetString()).Distinct()));
        Assert.Equal(6, scene.DeadLetters().Length);
    }
}
