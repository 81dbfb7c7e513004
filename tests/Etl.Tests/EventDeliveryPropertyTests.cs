using System.Globalization;
using System.Text.Json;
using Jackdaw.Etl.Configuration;
using Xunit;

namespace Jackdaw.Etl.Tests;

/// <summary>
/// Random appends to a few streams, deletions of their beginnings, a task over <c>@events</c>, a sink that fails and a process that dies
/// where a seed says. Oracle: every event arrives, deleted ones too, the events of one stream in order, and then their deletions.
/// ETL_SEED gives one seed, ETL_SEEDS how many.
/// </summary>
public class EventDeliveryPropertyTests
{
    private const string Script = """
        loadToOut({ s: this.stream, n: this.number });
        function deleted(id) { loadToOut({ gone: id }); }
        """;

    private static readonly string[] s_streams = ["a", "A", "b/1", "ä"];

    private static int SeedCount => int.Parse(Environment.GetEnvironmentVariable("ETL_SEEDS") ?? "30", CultureInfo.InvariantCulture);

    [Fact]
    public async Task No_event_is_lost_and_those_of_a_stream_keep_their_order_whatever_fails()
    {
        if (Environment.GetEnvironmentVariable("ETL_SEED") is { } one)
        {
            await RunAsync(int.Parse(one, CultureInfo.InvariantCulture));
            return;
        }
        for (int seed = 1; seed <= SeedCount; seed++)
            await RunAsync(seed);
    }

    private static async Task RunAsync(int seed)
    {
        var random = new Random(seed);
        await using var scene = await Scene.OpenAsync(tombstoneCleaning: TimeSpan.FromMilliseconds(1));
        scene.Limits = scene.Limits with { MaxBatchDocuments = random.Next(1, 12), MaxBatchMessages = random.Next(1, 12) };
        // Every fourth history is one without any trouble: then nothing may come twice.
        bool hasTrouble = seed % 4 != 0;
        var sink = new SeededSink(random, scene.Ledger)
        {
            IsPipelined = false,
            IsSlow = random.Next(2) == 0,
            Trouble = hasTrouble ? 0.15 : 0,
        };
        scene.AtFailpoint = name =>
        {
            if (name == Failpoint.OnItsWay)
                sink.Release();
            if (hasTrouble && random.Next(15) == 0)
                throw new SimulatedCrashException(name);
        };
        var configuration = Scene.Configuration(Scene.Transform(Script, "@events") with { PublishDeletes = true });
        var last = s_streams.ToDictionary(stream => stream, _ => 0L);
        var deletedUpTo = s_streams.ToDictionary(stream => stream, _ => 0L);
        try
        {
            await scene.StartAsync(configuration, sink.Open(), seed);
            for (int i = 0; i < 60; i++)
            {
                string stream = s_streams[random.Next(s_streams.Length)];
                if (random.Next(5) == 0 && last[stream] > deletedUpTo[stream])
                {
                    deletedUpTo[stream] = random.NextInt64(deletedUpTo[stream] + 1, last[stream] + 1);
                    await scene.DeleteEventsAsync(stream, deletedUpTo[stream]);
                }
                else
                {
                    int count = random.Next(1, 6);
                    await scene.AppendAsync(stream, last[stream] + 1, [.. Enumerable.Repeat("{}", count)]);
                    last[stream] += count;
                }
                if (random.Next(3) == 0)
                    await StepAsync(scene, configuration, sink, seed, toRest: false);
            }
            sink.Trouble = 0;
            bool wasTroubled = hasTrouble;
            hasTrouble = false;
            while (!await StepAsync(scene, configuration, sink, seed, toRest: true)) { }
            Check(scene, last, deletedUpTo, wasTroubled);
        }
        catch (Exception failure)
        {
            throw new InvalidOperationException($"ETL_SEED={seed}: {failure.Message}", failure);
        }
    }

    private static void Check(Scene scene, Dictionary<string, long> last, Dictionary<string, long> deletedUpTo, bool mayRepeat)
    {
        Assert.Empty(scene.DeadLetters());
        if (!mayRepeat)
            Assert.Equal(scene.Ledger.Count, scene.Ledger.Select(received => received.Id).Distinct().Count());
        foreach (var (stream, highest) in last)
        {
            var own = scene.Ledger.Where(received => received.Message.Event.PartitionKey == stream).DistinctBy(received => received.Id);
            var put = new List<long>();
            var gone = new List<long>();
            foreach (var received in own)
            {
                using var data = JsonDocument.Parse(received.Text);
                if (data.RootElement.TryGetProperty("gone", out var id))
                {
                    gone.Add(long.Parse(id.GetString()![^20..], CultureInfo.InvariantCulture));
                    Assert.Contains(gone[^1], put);
                    continue;
                }
                Assert.Equal(stream, data.RootElement.GetProperty("s").GetString());
                put.Add(data.RootElement.GetProperty("n").GetInt64());
            }
            Assert.Equal(Numbers(highest), put);
            Assert.Equal(Numbers(deletedUpTo[stream]), gone);
        }
    }

    private static IEnumerable<long> Numbers(long last) => Enumerable.Range(1, (int)last).Select(number => (long)number);

    /// <summary>Some steps; after a crash a new task. True when the task came to rest.</summary>
    private static async Task<bool> StepAsync(Scene scene, EtlTaskConfiguration configuration, SeededSink sink, int seed, bool toRest)
    {
        try
        {
            for (int i = 0; toRest || i < 2; i++)
            {
                var rest = scene.Task.RunStep();
                if (rest == Timeout.InfiniteTimeSpan)
                    return true;
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
}
