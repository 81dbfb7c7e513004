using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>The server under PUTs of distinct ids.</summary>
internal sealed class ServerPuts(int connections, double fullSeconds, double quickSeconds) : ServerContender(Jackdaw)
{
    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        await StartNewAsync(context, cancel);
        await MeasureAsync(context, context.Settings.Duration(5, 1), cancel);
    }

    public override Task<Sample> RunAsync(RunContext context, CancellationToken cancel) =>
        MeasureAsync(context, context.Settings.Duration(fullSeconds, quickSeconds), cancel);

    private async Task<Sample> MeasureAsync(RunContext context, TimeSpan duration, CancellationToken cancel)
    {
        long before = await Server.CountDocumentsAsync(cancel);
        var cpu = new CpuMeter(Server.ProcessId);
        HttpLoadResult result = await SendAsync(
            context,
            HttpLoadKind.PutDistinct,
            connections,
            duration,
            context.Round,
            documents: 0,
            cancel
        );
        Sample sample = result.ToSample().With(Metric.Cpu, cpu.MicrosecondsPer(result.Requests));
        // wrk leaves a request a connection unanswered at its end, so there may be more documents than answers, never fewer.
        long added = await Server.CountDocumentsAsync(cancel) - before;
        if (added < result.Requests)
            throw new IOException($"{result.Requests} PUTs of distinct ids were acknowledged and {added} documents came to be");
        return sample;
    }
}
