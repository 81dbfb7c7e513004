using System.Collections.Concurrent;
using System.Globalization;
using System.Text.Json;
using Xunit.Abstractions;

namespace Jackdaw.Functions.Tests;

/// <summary>
/// Messages come in any order, again and again, late, and their handlers are killed between any two requests, several at a time. In the
/// end the read model is what the source says, and every effect outside has happened once for whoever removes duplicates.
/// </summary>
[Trait("Category", "Slow")]
public sealed class HandlerPropertyTests(ITestOutputHelper output)
{
    private const int Rounds = 3;
    private const int ChangesPerRound = 30;
    private const int Workers = 4;
    private const int SeedsForAMistake = 12;

    private static readonly string[] s_orders = ["orders/1", "orders/2", "orders/ä-3", "orders/4"];

    /// <summary>Twins by casing are two streams.</summary>
    private static readonly string[] s_streams = ["account-1", "Account-1", "account/2"];

    [Fact]
    public async Task The_read_model_is_what_its_source_says_whatever_becomes_of_messages_and_handlers()
    {
        var seed = int.TryParse(Environment.GetEnvironmentVariable("JACKDAW_TEST_SEED"), out var given) ? given : Random.Shared.Next();
        output.WriteLine($"JACKDAW_TEST_SEED={seed}");
        for (var i = 0; i < 4; i++)
            Assert.Null(await RunAsync(seed + i, Mistake.None));
    }

    [Theory]
    [InlineData(Mistake.NoConditions)]
    [InlineData(Mistake.NoMarkersOfDeletions)]
    [InlineData(Mistake.NoMarkers)]
    [InlineData(Mistake.SeveralBatches)]
    [InlineData(Mistake.NewIdsOfEffects)]
    public async Task A_planted_mistake_is_found(Mistake mistake)
    {
        for (var seed = 1; seed <= SeedsForAMistake; seed++)
        {
            if (await RunAsync(seed, mistake) is { } found)
            {
                output.WriteLine($"Seed {seed}: {found}");
                return;
            }
        }
        Assert.Fail($"{mistake} was not found within {SeedsForAMistake} seeds.");
    }

    /// <summary>What the oracle found; null: nothing.</summary>
    private async Task<string?> RunAsync(int seed, Mistake mistake)
    {
        var random = new Random(seed);
        await using var scene = await Scene.OpenAsync(() => Roll(random, 0.2));
        var seen = new List<byte[]>();
        var waiting = new List<byte[]>();
        var (deliveries, kills) = (0, 0);
        for (var round = 1; round <= Rounds; round++)
        {
            await ChangeAsync(scene, random);
            while (scene.Messages.TryDequeue(out var message))
            {
                seen.Add(message);
                waiting.Add(message);
            }
            // Some come late, some again, all in any order.
            var late = round == Rounds ? [] : waiting.Where(_ => Roll(random, 0.4)).ToList();
            var again = seen.Where(_ => Roll(random, 0.3)).ToList();
            var (delivered, killed) = await DeliverAsync(scene, [.. waiting.Except(late), .. again], 1, random, mistake);
            (deliveries, kills) = (deliveries + delivered, kills + killed);
            waiting = late;
        }
        if (await FindAsync(scene) is { } found)
            return found;
        // An operator builds everything anew: the effects outside are the same ones.
        var (last, _) = await DeliverAsync(scene, [.. seen], 2, random, mistake);
        output.WriteLine(
            $"Seed {seed}: {seen.Count} messages, {deliveries + last} deliveries, {kills} kills, {scene.Notices.Count} notices"
        );
        return await FindAsync(scene);
    }

    private static async Task<string?> FindAsync(Scene scene)
    {
        if (scene.Graves.Letters.FirstOrDefault() is { } letter)
            return $"A dead letter: {letter.Reason}";
        await scene.Wire.UntilSentAsync("views");
        return await Oracle.FindAsync(scene.Wire, s_orders, s_streams, scene.Notices);
    }

    /// <summary>Each message until a handler has lived through it.</summary>
    private static async Task<(int Deliveries, int Kills)> DeliverAsync(
        Scene scene,
        byte[][] messages,
        int version,
        Random random,
        Mistake mistake
    )
    {
        lock (random)
            random.Shuffle(messages);
        var queue = new ConcurrentQueue<byte[][]>(Batches(messages, random));
        var (deliveries, kills) = (0, 0);
        await Task.WhenAll(
            Enumerable
                .Range(0, Workers)
                .Select(async _ =>
                {
                    while (queue.TryDequeue(out var batch))
                    {
                        Interlocked.Add(ref deliveries, batch.Length);
                        if (await scene.DeliverAsync(batch, version, random, mistake, odds: 0.06))
                            continue;
                        Interlocked.Increment(ref kills);
                        queue.Enqueue(batch);
                    }
                })
        );
        return (deliveries, kills);
    }

    /// <summary>Most come alone, as from a queue, some together, as from a topic: orders with orders, events with events.</summary>
    private static IEnumerable<byte[][]> Batches(byte[][] messages, Random random)
    {
        foreach (var kind in messages.GroupBy(message => Scene.IsEvent(message)))
        {
            byte[][] rest = [.. kind];
            while (rest.Length > 0)
            {
                var size = Roll(random, 0.6) ? 1 : 1 + Next(random, 6);
                yield return rest[..Math.Min(size, rest.Length)];
                rest = rest[Math.Min(size, rest.Length)..];
            }
        }
    }

    private static async Task ChangeAsync(Scene scene, Random random)
    {
        for (var i = 0; i < ChangesPerRound; i++)
        {
            if (Roll(random, 0.5))
                await ChangeOrderAsync(scene.Wire, random);
            else
                await AppendAsync(scene.Wire, random);
            // Else the task sends the last of several states only.
            if (Roll(random, 0.6))
                await scene.Wire.UntilSentAsync("shop");
        }
        await scene.Wire.UntilSentAsync("shop");
    }

    private static async Task ChangeOrderAsync(Wire wire, Random random)
    {
        var id = s_orders[Next(random, s_orders.Length)];
        // One document, however its id is written.
        if (Roll(random, 0.3))
            id = id.ToUpperInvariant();
        var path = $"/databases/shop/docs?id={Uri.EscapeDataString(id)}";
        if (Roll(random, 0.35))
        {
            await wire.SendAsync("DELETE", path);
            return;
        }
        var order = new Dictionary<string, object>
        {
            ["Company"] = $"companies/{Next(random, 100)}",
            ["Lines"] = Enumerable
                .Range(0, Next(random, 4))
                .Select(_ => new { PricePerUnit = Next(random, 10000) / 100m, Quantity = 1 + Next(random, 9) })
                .ToArray(),
            ["@metadata"] = new Dictionary<string, string> { ["@collection"] = "Orders" },
        };
        await wire.SendAsync("PUT", path, JsonSerializer.Serialize(order));
    }

    private static async Task AppendAsync(Wire wire, Random random)
    {
        var stream = s_streams[Next(random, s_streams.Length)];
        var highest = (await wire.EventsAsync("shop", stream)) is [.., var last] ? last.GetProperty("number").GetInt64() : 0;
        // A gap now and then, as a rejected event leaves one.
        var first = highest + (Roll(random, 0.2) ? 3 : 1);
        var events = string.Join(
            ',',
            Enumerable
                .Range(0, 1 + Next(random, 3))
                .Select(_ =>
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"{{\"payload\":{{\"{(Roll(random, 0.5) ? "deposited" : "withdrawn")}\":{1 + Next(random, 1500)}}}}}"
                    )
                )
        );
        await wire.SendAsync(
            "POST",
            "/databases/shop/events",
            string.Create(
                CultureInfo.InvariantCulture,
                $"{{\"groups\":[{{\"stream\":\"{stream}\",\"first\":{first},\"events\":[{events}]}}]}}"
            )
        );
    }

    private static bool Roll(Random random, double odds)
    {
        lock (random)
            return random.NextDouble() < odds;
    }

    private static int Next(Random random, int below)
    {
        lock (random)
            return random.Next(below);
    }
}
