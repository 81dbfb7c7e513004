using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>The bare Kestrel endpoint under the same GETs.</summary>
internal sealed class KestrelGets(AnswerBytes answer, int connections, long documents, double fullSeconds, double quickSeconds)
    : PeerContender(RowName)
{
    public const string RowName = "bare kestrel";

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        string body = Path.Combine(context.Directory, "answer.json");
        await File.WriteAllBytesAsync(body, answer.Bytes, cancel);
        await StartAsync(cancel, "kestrel", "--body", body);
        await MeasureAsync(context, context.Settings.Duration(5, 1), cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        var cpu = new CpuMeter(ProcessId);
        HttpLoadResult result = await MeasureAsync(context, context.Settings.Duration(fullSeconds, quickSeconds), cancel);
        return result.ToSample().With(Metric.Cpu, cpu.MicrosecondsPer(result.Requests));
    }

    private Task<HttpLoadResult> MeasureAsync(RunContext context, TimeSpan duration, CancellationToken cancel) =>
        SendAsync(context, HttpLoadKind.GetRandom, connections, duration, context.Round, documents, cancel);
}
