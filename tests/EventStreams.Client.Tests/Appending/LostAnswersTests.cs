using System.Globalization;
using System.Text;
using Jackdaw.EventStreams.Client.Appending;
using Jackdaw.EventStreams.Client.Tests.Serving;

namespace Jackdaw.EventStreams.Client.Tests.Appending;

/// <summary>
/// Many writers against the real server while connections are cut before, within and after requests and answers, or the server is
/// killed: nothing is lost, nothing is there twice, each stream keeps its order. JACKDAW_TEST_SEED sets the seed.
/// </summary>
public sealed class LostAnswersTests
{
    private const int Writers = 20;
    private int _stored;

    [Fact]
    [Trait("Category", "Slow")]
    public async Task Cut_connections_lose_nothing_and_store_nothing_twice()
    {
        var seed = Seed();
        await using var scene = await DatabaseScene.StartAsync();
        await using var client = new EventStreamsClient(scene.Options with { MaxAppendRequests = 1 + (seed & 1) });
        var writing = WriteAsync(client, seed, groups: 40);
        var random = new Random(seed);
        var faults = 0;
        while (!writing.IsCompleted)
        {
            await Task.Delay(random.Next(1, 30));
            var stored = Volatile.Read(ref _stored);
            faults++;
            switch (random.Next(4))
            {
                case 0:
                    scene.Proxy.CutAfterBytes(toServer: random.Next(0, 20_000));
                    break;
                case 1:
                    scene.Proxy.CutAfterBytes(toClient: random.Next(0, 3000));
                    break;
                case 2:
                    // Carried out, and never answered.
                    scene.Proxy.SwallowAnswers = true;
                    await Task.WhenAny(writing, Eventually.IsAsync(() => scene.Proxy.HasSwallowed || writing.IsCompleted));
                    scene.Proxy.SwallowAnswers = false;
                    break;
                default:
                    scene.Proxy.CutAll();
                    break;
            }
            // Otherwise a machine that is slow would be cut off for ever.
            await Eventually.IsAsync(() => Volatile.Read(ref _stored) > stored || writing.IsCompleted);
        }
        scene.Proxy.CutAfterBytes();
        await VerifyAsync(client, await writing, seed);
        Assert.True(
            scene.Proxy.ConnectionsMade > 5,
            $"only {scene.Proxy.ConnectionsMade} connections in {faults} faults: too few were cut"
        );
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task A_server_that_is_killed_and_back_fails_no_append_and_loses_nothing()
    {
        var seed = Seed();
        await using var scene = await DatabaseScene.StartAsync();
        await using var client = new EventStreamsClient(scene.Options);
        var random = new Random(seed);
        var writing = WriteAsync(client, seed, groups: 60);
        for (var i = 0; i < 2; i++)
        {
            await Task.Delay(random.Next(50, 300));
            await scene.KillServerAsync();
            await scene.StartServerAsync();
        }
        await VerifyAsync(client, await writing, seed);
    }

    private static int Seed() =>
        int.TryParse(Environment.GetEnvironmentVariable("JACKDAW_TEST_SEED"), out var seed) ? seed : Random.Shared.Next();

    /// <summary>Each writer appends groups to its stream one after another; returns what each stream must hold.</summary>
    private async Task<Dictionary<string, List<string>>> WriteAsync(EventStreamsClient client, int seed, int groups)
    {
        var writers = Enumerable
            .Range(0, Writers)
            .Select(async writer =>
            {
                var random = new Random(seed + writer);
                var stream = $"{(writer % 2 == 0 ? "actor" : "Actor")}-{writer / 2}";
                List<string> stored = [];
                for (var group = 0; group < groups; group++)
                {
                    var first = stored.Count + 1;
                    var payloads = Enumerable.Range(0, random.Next(1, 6)).Select(_ => Payload(random)).ToArray();
                    var append = new StreamAppend(
                        stream,
                        [
                            new EventGroup
                            {
                                First = first,
                                ExpectedLast = first - 1,
                                Writer = $"writer-{writer}",
                                Events = [.. payloads.Select(p => new NewEvent { Payload = Encoding.UTF8.GetBytes(p), Ticks = first })],
                            },
                        ]
                    );
                    var result = Assert.Single(await client.AppendAsync(append, client.Begin()));
                    Assert.Equal(AppendOutcome.Stored, result.Outcome);
                    Interlocked.Increment(ref _stored);
                    stored.AddRange(payloads.Select((p, i) => string.Create(CultureInfo.InvariantCulture, $"{first + i}:{p}")));
                }
                return (stream, stored);
            });
        var all = Task.WhenAll(writers);
        await ((Task)all).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (all.Exception is { } failed)
            throw new InvalidOperationException(
                $"seed {seed}: {string.Join("\n", failed.InnerExceptions.Select(e => e.ToString()))}",
                failed
            );
        return (await all).ToDictionary(one => one.stream, one => one.stored);
    }

    private static string Payload(Random random) =>
        random.Next(3) == 0 ? new string('z', random.Next(300)) : $$"""{"n":{{random.Next()}}}""";

    private static async Task VerifyAsync(EventStreamsClient client, Dictionary<string, List<string>> expected, int seed)
    {
        var found = new Dictionary<string, List<string>>();
        long last = 0;
        for (var isEnd = false; !isEnd; )
        {
            var page = await client.ReadAllAsync(last, long.MaxValue, 700);
            foreach (var read in page.Events)
            {
                Assert.True(read.Position > last, $"seed {seed}: position {read.Position} after {last}");
                last = read.Position;
                if (!found.TryGetValue(read.Stream, out var events))
                    found.Add(read.Stream, events = []);
                events.Add(string.Create(CultureInfo.InvariantCulture, $"{read.Number}:{Encoding.UTF8.GetString(read.Payload)}"));
            }
            isEnd = page.IsEnd;
        }
        Assert.True(expected.Count == found.Count, $"seed {seed}: {found.Count} streams");
        foreach (var (stream, events) in expected)
            Assert.True(
                events.SequenceEqual(found[stream]),
                $"seed {seed}: stream {stream} should hold\n{string.Join('\n', events)}\nand holds\n{string.Join('\n', found[stream])}"
            );
    }
}
