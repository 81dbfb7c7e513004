using System.Globalization;
using System.Text;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Scripting;

namespace Jackdaw.Bench.EtlBenchmarks;

/// <summary>A loop inside of the same engine: <c>JSON.parse</c> and <c>JSON.stringify</c> of the same documents, and nothing that goes in or out.</summary>
internal sealed class ParsedAndWritten(int documents) : Contender(RowName)
{
    public const string RowName = "JSON.parse + JSON.stringify";

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
        _script = _engine.Compile(new ScriptEnvironment("parse and write", Prelude), "return 0");
        await RunAsync(context, cancel);
    }

    public override Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        var bodies = new DocumentBodies();
        int rounds = documents / Texts;
        ReadOnlyMemory<byte>[] texts = [Encoding.ASCII.GetBytes(rounds.ToString(CultureInfo.InvariantCulture)), .. Enumerable.Range(0, Texts).Select(i => TransformedDocuments.Body(bodies, i))];
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
