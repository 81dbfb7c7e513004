using System.Diagnostics;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>One bulk insert into a new database of a newly started server, each run.</summary>
internal sealed class ServerBulkInsert(long documents) : ServerContender(Jackdaw)
{
    private const long WarmUp = 20_000;

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        await StartNewAsync(context, cancel);
        await Server.BulkInsertAsync(documents, WarmUp, cancel);
        context.Progress($"inserting {documents:N0} documents");
        var cpu = new CpuMeter(Server.ProcessId);
        var clock = Stopwatch.StartNew();
        await Server.BulkInsertAsync(0, documents, cancel);
        double seconds = clock.Elapsed.TotalSeconds;
        double cpuMicroseconds = cpu.MicrosecondsPer(documents);
        await Server.RequireCountAsync(documents + WarmUp, cancel);
        await CloseAsync();
        return new Sample()
            .With(Metric.Rate, documents / seconds)
            .With(Metric.Throughput, documents * (double)DocumentBodies.Size / 1e6 / seconds)
            .With(Metric.Seconds, seconds)
            .With(Metric.Cpu, cpuMicroseconds);
    }
}
