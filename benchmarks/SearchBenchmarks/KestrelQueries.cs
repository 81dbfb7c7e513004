using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.SearchBenchmarks;

/// <summary>The bare Kestrel endpoint under the same POSTs; it answers the bytes that the server answered.</summary>
internal sealed class KestrelQueries(AnswerBytes answer, int connections, string body, long numbers) : PeerContender(RowName)
{
    public const string RowName = "bare kestrel";

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        string file = Path.Combine(context.Directory, "answer.json");
        await File.WriteAllBytesAsync(file, answer.Bytes, cancel);
        await StartAsync(cancel, "kestrel", "--body", file);
        await MeasureAsync(context, context.Settings.Duration(5, 1), cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        var cpu = new CpuMeter(ProcessId);
        HttpLoadResult result = await MeasureAsync(context, context.Settings.Duration(10, 1), cancel);
        return result.ToSample().With(Metric.Cpu, cpu.MicrosecondsPer(result.Requests));
    }

    private Task<HttpLoadResult> MeasureAsync(RunContext context, TimeSpan duration, CancellationToken cancel) =>
        new QueryLoad(Url, body, numbers).RunAsync(connections, duration, context.Round, context.Directory, cancel);
}
