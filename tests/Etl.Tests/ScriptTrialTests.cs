using System.Text;
using Jackdaw.Scripting;
using Xunit;

namespace Jackdaw.Etl.Tests;

public class ScriptTrialTests
{
    [Fact]
    public async Task A_trial_ends_before_its_messages_take_much_memory_and_says_so()
    {
        await using var scene = await Scene.OpenAsync();
        for (int i = 1; i <= 30; i++)
            await scene.PutAsync($"orders/{i}", "{}");
        using var engine = new ScriptEngine();
        TrialAnswer Try(string script) =>
            ScriptTrial.Run(
                scene.Database,
                engine,
                new EtlOptions { Clock = scene.Clock, Limits = scene.Limits },
                Encoding.UTF8.GetBytes($$"""{"Script":"{{script}}","Collections":["Orders"]}""")
            );

        var large = Try("for (let i = 0; i < 3; i++) loadToA({ text: 'x'.repeat(1 << 20) });");
        long bytes = large.Results.Sum(result => result.Messages.Sum(message => (long)message.Length));
        Assert.InRange(bytes, ScriptTrial.MaxMessageBytes - (2 << 20), ScriptTrial.MaxMessageBytes);
        Assert.Equal([3, 3, 1], large.Results.Select(result => result.Messages.Count));
        Assert.Contains(
            "of 'orders/3', 1 of 3 are shown. The script did not run on later changes.",
            large.Notice,
            StringComparison.Ordinal
        );

        var small = Try("loadToA(this);");
        Assert.Equal((30, null), (small.Results.Count, small.Notice));
    }

    [Fact]
    public async Task Trials_run_on_threads_of_their_own_and_beyond_a_few_they_are_refused()
    {
        await using var scene = await Scene.OpenAsync();
        await scene.PutAsync("orders/1", "{}");
        using var engine = new ScriptEngine();
        using var clock = new HeldClock();
        var trials = new ScriptTrials(engine, new EtlOptions { Clock = clock, Limits = scene.Limits });
        byte[] script = """{"Script":"loadToA(this);","Collections":["Orders"]}"""u8.ToArray();
        var running = Enumerable.Range(0, scene.Limits.MaxTrialsAtOnce).Select(_ => trials.RunAsync(scene.Database, script)).ToArray();
        Assert.Throws<TrialsBusyException>(() =>
        {
            _ = trials.RunAsync(scene.Database, script);
        });
        clock.Release();
        foreach (var trial in running)
            Assert.Single((await trial.WaitAsync(Eventually.Patience)).Results);
        Assert.False(clock.WasOnThePool);
        // One that fails leaves its place, too.
        await Assert.ThrowsAsync<Configuration.InvalidConfigurationException>(() => trials.RunAsync(scene.Database, "[]"u8.ToArray()));
        for (int i = 0; i < 3; i++)
            await trials.RunAsync(scene.Database, script);
    }

    /// <summary>Whoever asks for the time waits until the test lets it pass.</summary>
    private sealed class HeldClock : TimeProvider, IDisposable
    {
        private readonly ManualResetEventSlim _passes = new();

        public bool WasOnThePool { get; private set; }

        public void Release() => _passes.Set();

        public override long GetTimestamp()
        {
            WasOnThePool |= Thread.CurrentThread.IsThreadPoolThread;
            Assert.True(_passes.Wait(Eventually.Patience));
            return base.GetTimestamp();
        }

        public void Dispose() => _passes.Dispose();
    }
}
