using System.Diagnostics;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>One bulk insert into a new database of the running server, each run.</summary>
internal sealed class ServerBulkInsert(long documents, string name = ServerContender.Jackdaw) : ServerContender(name)
{
    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        await StartNewAsync(context, cancel);
        await LoadAsync(context, context.Settings.Pick(200_000, 50_000), cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        await Server.RecreateDatabaseAsync(cancel);
        context.Progress($"inserting {documents:N0} documents");
        var cpu = new CpuMeter(Server.ProcessId);
        var clock = Stopwatch.StartNew();
        await Server.BulkInsertAsync(0, documents, cancel);
        double seconds = clock.Elapsed.TotalSeconds;
        double cpuMicroseconds = cpu.MicrosecondsPer(documents);
        await Server.RequireCountAsync(documents, cancel);
        return new Sample()
            .With(Metric.Rate, documents / seconds)
            .With(Metric.Throughput, documents * (double)DocumentBodies.Size / 1e6 / seconds)
            .With(Metric.Seconds, seconds)
            .With(Metric.Cpu, cpuMicroseconds);
    }
}
