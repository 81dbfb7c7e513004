using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>A newly started server that is loaded, read and then looked at, each run.</summary>
internal sealed class ServerMemory(string name, long documents) : ServerContender(name)
{
    private const double Megabyte = 1e6;

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        await StartNewAsync(context, cancel);
        await LoadAsync(context, documents, cancel);
        context.Progress("reading");
        HttpLoadResult reads = await SendAsync(
            context,
            HttpLoadKind.GetRandom,
            connections: 64,
            context.Settings.Duration(30, 1),
            context.Round,
            documents,
            cancel
        );
        Sample sample = new Sample()
            .With(Metric.Documents, documents)
            .With(Metric.ManagedHeap, await Server.ManagedHeapBytesAsync(cancel) / Megabyte)
            .With(Metric.AnonymousMemory, ProcessMemory.Anonymous(Server.ProcessId) / Megabyte)
            .With(Metric.PeakMemory, ProcessMemory.Peak(Server.ProcessId) / Megabyte)
            .With(Metric.Rate, reads.Rate);
        await CloseAsync();
        return sample;
    }
}
