using System.Globalization;
using System.Text.Json;
using Jackdaw.Etl.Configuration;
using Xunit;

namespace Jackdaw.Etl.Tests;

/// <summary>
/// Random writes, a task over them, a sink that fails and a process that dies where a seed says. Oracle: the receiver's ledger against the documents. Seeds can be
/// given: ETL_SEED (one), ETL_SEEDS (how many).
/// </summary>
public class DeliveryPropertyTests
{
    internal const string Script = """
        if (this.throws) throw new Error('thrown');
        if (this.skip) return;
        loadToOut({ v: this.v, bad: this.bad }, { PartitionKey: this.k });
        if (this.v % 3 === 0) loadToOther({ v: this.v, second: true }, { PartitionKey: this.k });
        """;

    private static int SeedCount => int.Parse(Environment.GetEnvironmentVariable("ETL_SEEDS") ?? "40", CultureInfo.InvariantCulture);

    [Fact]
    public async Task No_gap_duplicates_only_after_faults_and_order_in_every_key()
    {
        var crashed = new HashSet<string>();
        if (Environment.GetEnvironmentVariable("ETL_SEED") is { } one)
        {
            await RunAsync(int.Parse(one, CultureInfo.InvariantCulture), crashed);
            return;
        }
        for (int seed = 1; seed <= SeedCount; seed++)
            await RunAsync(seed, crashed);
        // A step at which nothing ever crashed was not tested.
        Assert.Empty(Failpoint.All.Except(crashed));
    }

    private static async Task RunAsync(int seed, HashSet<string> crashed)
    {
        var random = new Random(seed);
        await using var scene = await Scene.OpenAsync();
        scene.Limits = scene.Limits with { MaxBatchDocuments = random.Next(1, 12), MaxBatchMessages = random.Next(1, 12) };
        // Every fourth history is one without any trouble: then nothing may come twice.
        var sink = new SeededSink(random, scene.Ledger) { IsPipelined = random.Next(2) == 0, IsSlow = random.Next(2) == 0, Trouble = seed % 4 == 0 ? 0 : 0.15 };
        int crashes = 0;
        scene.AtFailpoint = name =>
        {
            if (name == Failpoint.OnItsWay)
                sink.Release();
            if (sink.Trouble == 0 || random.Next(15) > 0)
                return;
            crashes++;
            crashed.Add(name);
            throw new SimulatedCrashException(name);
        };
        var configuration = Scene.Configuration(Scene.Transform(Script) with { PublishDeletes = true }) with { MaxFailedShare = 1 };
        var history = new History();
        try
        {
            await scene.StartAsync(configuration, sink.Open(), seed);
            for (int i = 0; i < 80; i++)
            {
                await WriteAsync(scene, random, history, i);
                if (random.Next(3) == 0)
                    await StepAsync(scene, configuration, sink, seed);
                // The process may also end at its rest, or in the middle of a pause.
                if (sink.Trouble > 0 && random.Next(8) == 0)
                {
                    crashes++;
                    await scene.StartAsync(configuration, sink.Open(), seed);
                }
            }
            sink.Trouble = 0;
            while (!await StepAsync(scene, configuration, sink, seed, toRest: true)) { }
            history.Check(scene, sink.Faults + crashes);
        }
        catch (Exception failure)
        {
            throw new InvalidOperationException($"ETL_SEED={seed}: {failure.Message}", failure);
        }
    }

    /// <summary>Some steps; after a crash a new task. True when the task came to rest.</summary>
    private static async Task<bool> StepAsync(Scene scene, EtlTaskConfiguration configuration, SeededSink sink, int seed, bool toRest = false)
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
            await scene.StartAsync(configuration, sink.Open(), seed);
            return false;
        }
    }

    internal static async Task WriteAsync(Scene scene, Random random, History history, int version)
    {
        string id = $"orders/{random.Next(40)}";
        if (random.Next(8) == 0)
        {
            await scene.DeleteAsync(id);
            history.Forget(id);
            return;
        }
        // A document keeps its key, so that the order of its versions is within one.
        var document = new { v = version, k = $"key{id[^1]}", bad = random.Next(12) == 0, throws = random.Next(15) == 0, skip = random.Next(6) == 0 };
        string changeVector = await scene.PutAsync(id, JsonSerializer.Serialize(document));
        bool sends = !document.skip && !document.throws;
        history.Remember(id, changeVector, sends && !document.bad, sends && version % 3 == 0, isBuried: document.throws || (sends && document.bad));
    }
}
