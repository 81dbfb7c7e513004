using System.Globalization;
using System.Text;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Scripting;

namespace Jackdaw.Bench.EtlBenchmarks;

/// <summary>The same as a loop inside of the engine over texts that are there: nothing goes in or out, so nothing from outside
/// can come near it.</summary>
internal sealed class ParsedAndWrittenInside(int documents) : Contender(RowName)
{
    public const string RowName = "the same, a loop inside of the engine";

    /// <summary>What a call can be given, beside the number of rounds.</summary>
    private const int Texts = 7;

    private const string Prelude = """
        return {
          globals: {},
          call(bind, rounds, ...texts) {
            let length = 0;
            for (let i = 0, n = +rounds; i < n; i++)
              for (let j = 0; j < texts.length; j++)
                length += json.stringify(json.parse(texts[j])).length;
            return `${length}`;
          },
        };
        """;

    private readonly ScriptEngine _engine = new();
    private Script? _script;

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        _script = _engine.Compile(new ScriptEnvironment("parse and write inside", Prelude), "return 0");
        await RunAsync(context, cancel);
    }

    public override Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        var bodies = new DocumentBodies();
        int rounds = documents / Texts;
        ReadOnlyMemory<byte>[] texts =
        [
            Encoding.ASCII.GetBytes(rounds.ToString(CultureInfo.InvariantCulture)),
            .. Enumerable.Range(0, Texts).Select(i => TransformedDocuments.Body(bodies, i)),
        ];
        TimeSpan before = Environment.CpuUsage.TotalTime;
        using (ScriptContext script = _script!.Rent())
        {
            script.TryCall(new ScriptLimits { Time = TimeSpan.FromMinutes(5) }, null, out ReadOnlySpan<byte> length, texts);
            if (!long.TryParse(length, CultureInfo.InvariantCulture, out long written) || written < documents * 500L)
                throw new IOException("the loop wrote less than there is");
        }
        return Task.FromResult(new Sample().With(Metric.PerCore, rounds * Texts / (Environment.CpuUsage.TotalTime - before).TotalSeconds));
    }

    public override Task CloseAsync()
    {
        _engine.Dispose();
        return Task.CompletedTask;
    }
}
