using Jackdaw.Bench.Frame;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>A newly started bare Kestrel with as many connections that are upgraded and idle.</summary>
internal sealed class KestrelIdleSockets() : PeerContender(KestrelGets.RowName)
{
    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        await StartAsync(cancel, "upgrade");
        return await IdleSocketMemory.MeasureAsync(context, ProcessId, Url, "/", watches: false, cancel);
    }
}
