using System.Globalization;
using System.Text;
using Jackdaw.Etl.Configuration;
using Jackdaw.Etl.Messages;
using Jackdaw.Etl.Running;
using Jackdaw.Etl.Transforming;
using Jackdaw.Scripting;
using Xunit;
using Xunit.Abstractions;

namespace Jackdaw.Etl.Tests;

/// <summary>Documents share calls of the script engine, and nobody can tell: each is made into what it would be made into by
/// itself.</summary>
public sealed class SharedCallTests(ITestOutputHelper output)
{
    private static readonly ScriptEngine s_engine = new();

    [Fact]
    public async Task Documents_that_share_a_call_become_what_they_become_alone()
    {
        int seed = int.TryParse(Environment.GetEnvironmentVariable("SHARED_CALL_SEED"), CultureInfo.InvariantCulture, out int given)
            ? given
            : Random.Shared.Next();
        output.WriteLine($"SHARED_CALL_SEED={seed}");
        var random = new Random(seed);
        int failures = 0;
        int messages = 0;
        for (int round = 0; round < 8; round++)
        {
            await using var scene = await Scene.OpenAsync();
            bool mayLoop = round % 6 == 0;
            scene.Limits = scene.Limits with
            {
                ScriptTime = mayLoop ? TimeSpan.FromMilliseconds(150) : scene.Limits.ScriptTime,
                MaxBatchDocuments = random.Next(4) == 0 ? random.Next(1, 20) : 1024,
                MaxBatchMessages = random.Next(4) == 0 ? random.Next(1, 40) : 1024,
                MaxBatchBytes = random.Next(4) == 0 ? random.Next(1, 4096) : 4 << 20,
            };
            var scripts = new RandomScripts(random, mayLoop);
            for (int i = 1; i <= 60; i++)
            {
                await scene.PutAsync($"orders/{i}", scripts.Document(i), random.Next(10) == 0 ? "Others" : "Orders");
                if (random.Next(8) == 0)
                    await scene.DeleteAsync($"orders/{random.Next(1, i + 1)}");
            }
            var transform = Scene.Transform(scripts.Script()) with { PublishDeletes = random.Next(2) == 0 };
            bool allowsRoutingKeys = random.Next(2) == 0;
            double mostFailed = random.Next(3) == 0 ? 0.2 : 1;
            var alone = Run(scene, transform, 1, allowsRoutingKeys, mostFailed);
            int together = random.Next(2) == 0 ? 64 : random.Next(2, 20);
            var shared = Run(scene, transform, together, allowsRoutingKeys, mostFailed);
            int differ = alone.Zip(shared).TakeWhile(pair => pair.First == pair.Second).Count();
            Assert.True(
                differ == alone.Count && differ == shared.Count,
                $"seed {seed}, round {round}, {together} a call, line {differ}:\nalone  "
                    + $"{alone.ElementAtOrDefault(differ)}\nshared {shared.ElementAtOrDefault(differ)}\n{transform.Script}"
            );
            failures += alone.Count(line => line.StartsWith("failed", StringComparison.Ordinal));
            messages += alone.Count(line => line.StartsWith("message", StringComparison.Ordinal));
        }
        output.WriteLine($"{messages} messages, {failures} failures");
        Assert.True(failures > 20 && messages > 300, "The scripts have done too little to show anything.");
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task A_document_that_loops_fails_alone_among_those_of_its_call()
    {
        await using var scene = await Scene.OpenAsync();
        scene.Limits = scene.Limits with { ScriptTime = TimeSpan.FromMilliseconds(50) };
        for (int i = 1; i <= 20; i++)
            await scene.PutAsync($"orders/{i}", $$"""{"n":{{i}}}""");
        var sent = await scene.SendAsync("loadToA({ n: this.n }); while (this.n % 10 === 5) { }");
        Assert.Equal(Enumerable.Range(1, 20).Where(n => n % 10 != 5).Select(n => $"A: {{\"n\":{n}}}"), sent);
        Assert.Equal(2, scene.DeadLetters().Length);
        Assert.All(scene.DeadLetters(), letter => Assert.Contains("longer than its limit of 50 ms", letter, StringComparison.Ordinal));
    }

    [Fact]
    public async Task Documents_that_all_meet_their_limit_do_not_hold_a_batch_beyond_its_time()
    {
        await using var scene = await Scene.OpenAsync();
        scene.Limits = scene.Limits with { ScriptTime = TimeSpan.FromMilliseconds(30), MaxBatchTime = TimeSpan.FromMilliseconds(60) };
        for (int i = 1; i <= 40; i++)
            await scene.PutAsync($"orders/{i}", "{}");
        var (batches, run) = Reader(
            scene,
            Scene.Transform("while (true) { }"),
            TimeProvider.System,
            allowsRoutingKeys: false,
            new FailureWindow(100, 1)
        );
        using (batches)
        {
            var batch = batches.Read(run)!;
            Assert.True(batch.HasMore);
            Assert.InRange(batch.Failures.Count, 1, 3);
            Assert.Equal(batch.Failures.Count, batch.ToEtag);
        }
    }

    [Fact]
    public async Task Documents_share_calls_again_after_one_that_met_a_limit()
    {
        await using var scene = await Scene.OpenAsync();
        scene.Limits = scene.Limits with { ScriptTime = TimeSpan.FromMilliseconds(50) };
        for (int i = 1; i <= 60; i++)
            await scene.PutAsync($"orders/{i}", $$"""{"n":{{i}}}""");
        var (batches, run) = Reader(
            scene,
            Scene.Transform("loadToA({}); while (this.n === 10) { }"),
            scene.Clock,
            allowsRoutingKeys: false,
            new FailureWindow(100, 1)
        );
        using (batches)
        {
            var batch = batches.Read(run)!;
            Assert.Equal((59, 1), (batch.Delivery.Messages.Count, batch.Failures.Count));
            // The size follows the time that calls take; one during which the machine stood still counts until the next.
            for (int i = 0; i < 100 && run.Shared!.Size.Documents < 2; i++)
            {
                await scene.PutAsync("orders/1", $$"""{"n":{{100 + i}}}""");
                Assert.Single(batches.Read(run)!.Delivery.Messages);
            }
        }
        Assert.InRange(run.Shared!.Size.Documents, 2, 64);
    }

    [Fact]
    public async Task Few_documents_share_a_call_while_the_script_fails_for_all()
    {
        await using var scene = await Scene.OpenAsync();
        for (int i = 1; i <= 100; i++)
            await scene.PutAsync($"orders/{i}", "{}");
        int failed = 0;
        var (batches, run) = Reader(
            scene,
            Scene.Transform("throw new Error('no');"),
            scene.Clock,
            allowsRoutingKeys: false,
            new FailureWindow(1000, 1)
        );
        using (batches)
        {
            while (batches.Read(run) is { } batch)
                failed += batch.Failures.Count;
        }
        Assert.Equal(100, failed);
        Assert.InRange(run.Shared!.Size.Documents, 1, 4);
    }

    [Fact]
    public async Task Few_documents_are_run_for_nothing_where_batches_end_early()
    {
        await using var scene = await Scene.OpenAsync();
        scene.Limits = scene.Limits with { MaxBatchMessages = 100 };
        for (int i = 1; i <= 200; i++)
            await scene.PutAsync($"orders/{i}", "{}");
        int runs = 0;
        scene.AtFailpoint = name => runs += name == Failpoint.Script ? 1 : 0;
        var sent = await scene.SendAsync("for (let i = 0; i < 30; i++) loadToA({ i });");
        Assert.Equal(6000, sent.Length);
        Assert.InRange(runs, 200, 300);
    }

    /// <summary>Each tells whether it sees what an earlier document left, and tries to leave something.</summary>
    [Fact]
    public async Task Nothing_of_one_document_reaches_another_of_its_call()
    {
        string[] attempts =
        [
            "const seen = this.big.toJSON.leak !== undefined; try { this.big.toJSON.leak = 1; } catch { } loadToA({ seen });",
            "const seen = this.big.leak !== undefined; try { this.big.leak = 1; } catch { } loadToA({ seen });",
            "const seen = loadToA.toString().includes('leak'); loadToA({ seen }); loadToA = function leak() { };",
            "const seen = loadToA.leak !== undefined; try { loadToA.leak = 1; } catch { } loadToA({ seen });",
            "const seen = ({}).leak !== undefined; try { Object.prototype.leak = 1; "
                + "} catch { } try { ({}).__proto__.leak = 1; } catch { } loadToA({ seen });",
            "const seen = [].leak !== undefined || [].push(1) !== 1; try { Array.prototype.leak "
                + "= 1; } catch { } try { Array.prototype.push = () => 7; } catch { } loadToA({ seen });",
            "const seen = getMetadata(this).leak !== undefined || getMetadata(this)['@id'] "
                + "!== id(); getMetadata(this).leak = 1; loadToA({ seen });",
            "const seen = load('orders/1').leak !== undefined; load('orders/1').leak = 1; loadToA({ seen });",
            "const seen = this['@metadata'].leak !== undefined; this['@metadata'] = { leak: 1 }; loadToA({ seen });",
            "const seen = 'leak' in globalThis; try { globalThis.leak = this; } catch { } loadToA({ seen });",
            "function f() { } const seen = f.leak !== undefined; f.leak = 1; loadToA({ seen });",
            "const r = /x/g; const seen = r.lastIndex !== 0; r.test('xx'); loadToA({ seen });",
            "const seen = new Error('a').stack.length > 3000; try { Error.stackTraceLimit = 1000; } catch { } loadToA({ seen });",
            "let seen = false; try { seen = id(this.former) !== id(); } catch { } "
                + "loadToA({ seen, toJSON() { loadToA({ seen }); return { seen }; } });",
        ];
        await using var scene = await Scene.OpenAsync();
        for (int i = 1; i <= 12; i++)
            await scene.PutAsync($"orders/{i}", """{"big":9007199254740993}""");
        foreach (string attempt in attempts)
        {
            var lines = Run(scene, Scene.Transform(attempt), 64, allowsRoutingKeys: false, mostFailed: 1)
                .Where(line => !line.StartsWith("batch", StringComparison.Ordinal))
                .ToArray();
            Assert.True(
                lines.Length >= 12 && lines.All(line => line.Contains("{\"seen\":false}", StringComparison.Ordinal)),
                $"{attempt}\n{string.Join('\n', lines)}"
            );
        }
    }

    [Fact]
    public async Task A_call_that_documents_share_enters_the_engine_once()
    {
        await using var scene = await Scene.OpenAsync();
        for (int i = 1; i <= 4; i++)
            await scene.PutAsync($"orders/{i}", "{}");
        var shared = new SharedCall(["A"], 64);
        var transform = Scene.Transform("loadToA({ id: id() });");
        using var reader = scene.Database.OpenRead("test");
        var configuration = Scene.Configuration(transform);
        using var runner = new TransformRunner(
            TransformScript.Compile(s_engine, transform),
            reader,
            new EventNaming(configuration, transform, scene.Database, null),
            scene.Limits,
            allowsRoutingKeys: false,
            shared
        );
        var changes = reader.Changes(0);
        while (changes.MoveNext())
            runner.Add(changes.Current);
        var made = new List<bool>();
        while (shared.Count > 0)
        {
            made.Add(shared.IsNextMade);
            Assert.Null(runner.RunNext(out var origin));
            Assert.Equal($"{{\"id\":\"{origin.DocumentId}\"}}", Encoding.UTF8.GetString(Assert.Single(runner.Messages).Data.Span));
        }
        Assert.Equal([false, true, true, true], made);
    }

    private static List<string> Run(Scene scene, TransformConfiguration transform, int together, bool allowsRoutingKeys, double mostFailed)
    {
        scene.Limits = scene.Limits with { MaxDocumentsPerCall = together };
        var (batches, run) = Reader(scene, transform, scene.Clock, allowsRoutingKeys, new FailureWindow(20, mostFailed));
        var lines = new List<string>();
        using (batches)
        {
            while (batches.Read(run) is { } batch)
            {
                lines.Add($"batch {batch.FromEtag} to {batch.ToEtag}, more: {batch.HasMore}");
                lines.AddRange(batch.Failures.Select(failure => $"failed {failure.Origin}: {failure.Reason}"));
                lines.AddRange(batch.Delivery.Messages.Select(Show));
            }
        }
        return lines;
    }

    private static string Show(OutboundMessage message) =>
        $"message {message.Number} to {message.Target}, {message.RoutingKey ?? "no key"}, "
        + $"{message.Key}, {message.Event}, {message.Origin}: {Encoding.UTF8.GetString(message.Data.Span)}";

    private static (BatchReader Reader, TransformRun Run) Reader(
        Scene scene,
        TransformConfiguration transform,
        TimeProvider clock,
        bool allowsRoutingKeys,
        FailureWindow failures
    )
    {
        var configuration = Scene.Configuration(transform);
        var run = new TransformRun(0, transform, new EventNaming(configuration, transform, scene.Database, null))
        {
            Script = TransformScript.Compile(s_engine, transform),
        };
        var options = new EtlOptions { Limits = scene.Limits, Clock = clock };
        return (
            new BatchReader(
                scene.Database,
                configuration,
                [run],
                options,
                failures,
                new RateLimits(clock, RateLimit.None),
                new OwnDeletions(scene.Database, configuration, clock),
                allowsRoutingKeys
            ),
            run
        );
    }
}
