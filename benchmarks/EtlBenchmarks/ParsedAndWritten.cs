using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Scripting;

namespace Jackdaw.Bench.EtlBenchmarks;

/// <summary><c>JSON.parse</c> and <c>JSON.stringify</c> in the same engine, from bytes to bytes, one call a document. Tasks share
/// calls, so they may be as fast.</summary>
internal sealed class ParsedAndWritten(int documents) : Contender(RowName)
{
    public const string RowName = "JSON.parse + JSON.stringify, bytes to bytes";
    private const int Bodies = 1000;
    private const string Prelude = "return { globals: {}, call(bind, text) { return json.stringify(json.parse(text)); } };";

    private readonly ScriptEngine _engine = new();
    private readonly byte[][] _bodies = [.. Enumerable.Range(0, Bodies).Select(i => TransformedDocuments.Body(new DocumentBodies(), i))];
    private Script? _script;

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        _script = _engine.Compile(new ScriptEnvironment("parse and write", Prelude), "return 0");
        await RunAsync(context, cancel);
    }

    public override Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        var limits = new ScriptLimits { Time = TimeSpan.FromMilliseconds(100) };
        TimeSpan before = Environment.CpuUsage.TotalTime;
        using ScriptContext script = _script!.Rent();
        for (int i = 0; i < documents; i++)
        {
            byte[] body = _bodies[i % Bodies];
            if (!script.TryCall(limits, null, out ReadOnlySpan<byte> written, body) || written.Length != body.Length)
                throw new IOException("what was written is not what was parsed");
        }
        return Task.FromResult(new Sample().With(Metric.PerCore, documents / (Environment.CpuUsage.TotalTime - before).TotalSeconds));
    }

    public override Task CloseAsync()
    {
        _engine.Dispose();
        return Task.CompletedTask;
    }
}
