using System.Diagnostics;
using Jackdaw.Scripting.Errors;
using Xunit;

namespace Jackdaw.Scripting.Tests;

public class EngineTests
{
    [Fact]
    public void The_same_text_is_the_same_script() => Assert.Same(Bench.Compile("return 'same';"), Bench.Compile("return 'same';"));

    [Fact]
    public void Eight_threads_share_machines_and_each_gets_its_own_results()
    {
        using var engine = new ScriptEngine(
            new ScriptEngineOptions
            {
                MaxMachines = 4,
                MaxIdleMachines = 4,
                RentTimeout = Eventually.Patience,
            }
        );
        var scripts = Enumerable
            .Range(0, 5)
            .Select(i => engine.Compile(Bench.Kind, $"if (args.stop) for (;;) {{ }} return [{i}, this.n * 2, echo(this.t)];", "args"))
            .ToArray();
        int ended = 0;
        void Use(int t)
        {
            var garbage = new List<byte[]>();
            for (int i = 0; i < 400; i++)
            {
                int which = (t + i) % scripts.Length;
                using var context = scripts[which].Rent();
                // Some are ended, and their machines thrown away under the others.
                if (i % 100 == 50)
                {
                    Assert.Throws<ScriptLimitException>(() =>
                        Bench.Call(context, "{}", """{"stop":true}""", Bench.Short with { Time = TimeSpan.FromMilliseconds(5) })
                    );
                    Interlocked.Increment(ref ended);
                    continue;
                }
                Assert.Equal($"[{which},{2 * i},\"{t}-{i}\"]", Bench.Call(context, $$"""{"n":{{i}},"t":"{{t}}-{{i}}"}""", "{}"));
                garbage.Add(new byte[10_000]);
            }
        }
        var failures = new System.Collections.Concurrent.ConcurrentBag<Exception>();
        var threads = Enumerable
            .Range(0, 8)
            .Select(t => new Thread(() =>
            {
                if (Record.Exception(() => Use(t)) is { } failure)
                    failures.Add(failure);
            }))
            .ToArray();
        foreach (var thread in threads)
            thread.Start();
        foreach (var thread in threads)
            thread.Join();
        Assert.Empty(failures);
        Assert.Equal(32, ended);
        Assert.InRange(engine.MachineCount, 1, 4);
    }

    [Fact]
    public void Who_finds_no_machine_waits_and_is_told_when_it_takes_too_long()
    {
        using var engine = new ScriptEngine(new ScriptEngineOptions { MaxMachines = 1, RentTimeout = TimeSpan.FromMilliseconds(50) });
        var script = engine.Compile(Bench.Kind, "return 1;", "args");
        using (script.Rent())
            Assert.Throws<ScriptEngineBusyException>(() => script.Rent());
        using (script.Rent()) { }
    }

    /// <summary>A merger waited ten seconds, and with it every writer of its database.</summary>
    [Fact]
    public void Who_must_not_wait_takes_a_machine_of_the_reserve_and_is_told_at_once_when_that_is_in_use_too()
    {
        using var engine = new ScriptEngine(
            new ScriptEngineOptions
            {
                MaxMachines = 1,
                ReservedMachines = 1,
                Wait = (_, _) => throw new InvalidOperationException("It waited."),
            }
        );
        var script = engine.Compile(Bench.Kind, "return 1;", "args");
        using (script.Rent())
        {
            using (var mine = script.RentWithoutWaiting())
            {
                Assert.Equal("1", Bench.Call(mine));
                Assert.Throws<ScriptEngineBusyException>(() => script.RentWithoutWaiting());
            }
            using (script.RentWithoutWaiting()) { }
        }
    }

    [Fact]
    public void Machines_that_nobody_used_between_two_trims_are_thrown_away()
    {
        using var engine = new ScriptEngine(new ScriptEngineOptions { MaxMachines = 3, MaxIdleMachines = 3 });
        var script = engine.Compile(Bench.Kind, "return 1;", "args");
        using (script.Rent())
        using (script.Rent())
        using (script.Rent()) { }
        engine.TrimIdleMachines();
        using (var one = script.Rent())
            Assert.Equal("1", Bench.Call(one));
        Assert.Equal(2, engine.TrimIdleMachines());
        Assert.Equal((1, 1), (engine.IdleMachineCount, engine.MachineCount));
        Assert.Equal(1, engine.TrimIdleMachines());
        using (var another = script.Rent())
            Assert.Equal("1", Bench.Call(another));
    }

    [Fact]
    public void Who_waits_for_a_machine_while_the_computer_stands_still_is_not_told_that_it_took_too_long()
    {
        var clock = new ManualClock();
        int moments = 0;
        ScriptContext? lent = null;
        using var engine = new ScriptEngine(
            new ScriptEngineOptions
            {
                MaxMachines = 1,
                Clock = clock,
                Wait = (_, time) =>
                {
                    // An hour passes, then the other one goes on and gives the machine back.
                    clock.Advance(moments++ == 0 ? TimeSpan.FromHours(1) : time);
                    if (moments == 3)
                        lent!.Dispose();
                    return false;
                },
            }
        );
        var script = engine.Compile(Bench.Kind, "return 1;", "args");
        lent = script.Rent();
        var mine = script.Rent();
        Assert.Equal(3, moments);
        // Who does not get it back is told in the end.
        Assert.Throws<ScriptEngineBusyException>(() => script.Rent());
        Assert.Equal(3 + 20, moments);
        mine.Dispose();
    }

    [Fact]
    public void A_machine_keeps_no_more_contexts_than_it_may()
    {
        using var engine = new ScriptEngine(new ScriptEngineOptions { MaxContextsPerMachine = 3, MaxMachines = 1 });
        var scripts = Enumerable.Range(0, 10).Select(i => engine.Compile(Bench.Kind, $"return {i};", "args")).ToArray();
        for (int round = 0; round < 3; round++)
        {
            for (int i = 0; i < scripts.Length; i++)
            {
                using var context = scripts[i].Rent();
                Assert.Equal($"{i}", Bench.Call(context));
            }
        }
        Assert.Equal(1, engine.MachineCount);
    }

    [Fact]
    public void The_runtimes_own_signals_still_reach_it()
    {
        Assert.Equal("1", Bench.Run("return 1;"));
        int zero = Environment.TickCount64 > 0 ? 0 : 1;
        Assert.Throws<DivideByZeroException>(() => 1 / zero);
        string? nothing = zero == 0 ? null : "";
        Assert.Throws<NullReferenceException>(() => nothing!.Length);
        Assert.Throws<ScriptRuntimeException>(() => Bench.Run("(function f() { f(); })();"));
        Assert.Throws<DivideByZeroException>(() => 1 % zero);
    }

    [Fact]
    public void A_disposed_engine_lends_nothing()
    {
        var engine = new ScriptEngine();
        var script = engine.Compile(Bench.Kind, "return 1;", "args");
        var context = script.Rent();
        engine.Dispose();
        Assert.Equal("1", Bench.Call(context));
        context.Dispose();
        Assert.Throws<ObjectDisposedException>(() => script.Rent());
        Assert.Equal(0, engine.MachineCount);
    }

    /// <summary>Memory of the process, in bytes, as the kernel counts it.</summary>
    private static long ResidentBytes() =>
        long.Parse(File.ReadAllText("/proc/self/statm").Split(' ')[1], System.Globalization.CultureInfo.InvariantCulture) * 4096;

    [Fact]
    [Trait("Category", "Slow")]
    public void Native_memory_is_bounded_over_many_calls_contexts_and_ended_machines()
    {
        using var engine = new ScriptEngine(new ScriptEngineOptions { MaxMachines = 2, MaxContextsPerMachine = 4 });
        var document = $$"""{"text":"{{new string('x', 2000)}}","list":[1,2,3,{"a":9007199254740993}]}""";
        int scriptNumber = 0;
        long Round(int calls, int scripts, int ended)
        {
            var script = engine.Compile(Bench.Kind, "this.more = this.list.map(x => ({ x })); return this;", "args");
            for (int i = 0; i < calls; i++)
            {
                using var context = script.Rent();
                Bench.Call(context, document);
            }
            for (int i = 0; i < scripts; i++)
                Assert.Throws<ScriptSyntaxException>(() => engine.Compile(Bench.Kind, $"let a{scriptNumber++} = ;"));
            for (int i = 0; i < scripts; i++)
            {
                using var context = engine.Compile(Bench.Kind, $"return {scriptNumber++};").Rent();
                Bench.Call(context, document);
            }
            var loop = engine.Compile(Bench.Kind, "for (;;) { }");
            for (int i = 0; i < ended; i++)
            {
                using var context = loop.Rent();
                Assert.Throws<ScriptLimitException>(() =>
                    Bench.Call(context, limits: Bench.Short with { Time = TimeSpan.FromMilliseconds(2) })
                );
            }
            GC.Collect();
            return ResidentBytes();
        }
        long before = Round(20_000, 150, 20);
        long after = 0;
        for (int round = 0; round < 3; round++)
            after = Round(20_000, 150, 20);
        // A leak of a call's texts would be 250 MB here, one of the contexts 500 MB; other tests run in this process, too.
        Assert.True(after - before < 150 << 20, $"{(after - before) >> 20} MB more than after the first round");
    }
}
