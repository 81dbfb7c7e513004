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
            "Of 'orders/3' 1 of 3 messages are shown; the script was not run on what comes behind it.",
            large.Notice,
            StringComparison.Ordinal
        );

        var small = Try("loadToA(this);");
        Assert.Equal((30, null), (small.Results.Count, small.Notice));
    }
}
