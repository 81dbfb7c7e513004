using Jackdaw.Bench.Frame;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>A newly started server with idle sockets of the Changes API.</summary>
internal sealed class ServerIdleSockets() : ServerContender(Jackdaw)
{
    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        await StartNewAsync(context, cancel);
        Sample sample = await IdleSocketMemory.MeasureAsync(
            context,
            Server.ProcessId,
            Server.Url,
            $"/databases/{ServerUnderTest.Database}/changes",
            watches: true,
            cancel
        );
        await CloseAsync();
        return sample;
    }
}
