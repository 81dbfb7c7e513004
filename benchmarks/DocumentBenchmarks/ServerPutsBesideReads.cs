using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>A loaded server under PUTs, with or without requests beside them that go over all documents.</summary>
internal sealed class ServerPutsBesideReads(
    string name,
    long documents,
    bool hasReads,
    int connections,
    double fullSeconds,
    double quickSeconds
) : ServerContender(name)
{
    public const string WithReads = Jackdaw + ", four scans";
    public const string Alone = Jackdaw + ", no scans";

    private static readonly Metric s_scanned = new("scanned", " MB/s");

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        await StartNewAsync(context, cancel);
        await LoadAsync(context, documents, cancel);
        await MeasureAsync(context, context.Settings.Duration(5, 1), cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        TimeSpan duration = context.Settings.Duration(fullSeconds, quickSeconds);
        if (!hasReads)
            return await MeasureAsync(context, duration, cancel);
        await using var scans = new ScanLoad(Server.Url, ServerUnderTest.Database, documents);
        await scans.AllHaveBegunAsync(cancel);
        Sample sample = await MeasureAsync(context, duration, cancel);
        return sample.With(s_scanned, await scans.EndAsync() / duration.TotalSeconds / 1e6);
    }

    private async Task<Sample> MeasureAsync(RunContext context, TimeSpan duration, CancellationToken cancel)
    {
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
        return result.ToSample().With(Metric.Cpu, cpu.MicrosecondsPer(result.Requests));
    }
}
