using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>The server under GETs of random ids.</summary>
internal sealed class ServerGets(AnswerBytes answer, int connections, long documents, double fullSeconds, double quickSeconds)
    : ServerContender(Jackdaw)
{
    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        await StartNewAsync(context, cancel);
        await LoadAsync(context, documents, cancel);
        answer.Bytes = await Server.GetAsync(DocumentIds.Prefix + "0", cancel);
        await MeasureAsync(context, context.Settings.Duration(5, 1), cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        var cpu = new CpuMeter(Server.ProcessId);
        HttpLoadResult result = await MeasureAsync(context, context.Settings.Duration(fullSeconds, quickSeconds), cancel);
        return result.ToSample().With(Metric.Cpu, cpu.MicrosecondsPer(result.Requests));
    }

    private Task<HttpLoadResult> MeasureAsync(RunContext context, TimeSpan duration, CancellationToken cancel) =>
        SendAsync(context, HttpLoadKind.GetRandom, connections, duration, context.Round, documents, cancel);
}
