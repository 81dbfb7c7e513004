using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.SearchBenchmarks;

/// <summary>A newly started server that is loaded, has its orders indexed, and is then looked at.</summary>
internal sealed class ServerIndexMemory(long orders) : OrdersServer(Jackdaw, orders)
{
    private const double Megabyte = 1e6;
    private const string Query =
        "from Orders where Customer = 'x' and Status = 'y' and Total > 5 and OrderedAt > '2024' and Number = 1 and Tags = 't' and Weights = 1 "
        + "and search(Text, 'word') limit 0";

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        await LoadOrdersAsync(context, cancel);
        await IndexAsync(context, Query, cancel);
        Sample sample = new Sample()
            .With(Metric.Documents, Count)
            .With(Metric.ManagedHeap, await Server.ManagedHeapBytesAsync(cancel) / Megabyte)
            .With(Metric.AnonymousMemory, ProcessMemory.Anonymous(Server.ProcessId) / Megabyte)
            .With(Metric.PeakMemory, ProcessMemory.Peak(Server.ProcessId) / Megabyte);
        await CloseAsync();
        return sample;
    }
}
