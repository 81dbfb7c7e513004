using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.StorageBenchmarks;

/// <summary>Durable puts of 1 KB documents through the merger by writers in this process.</summary>
internal sealed class StorePuts(string name, PutPlan plan) : StoreContender(name, plan.Options)
{
    private long _next = plan.Documents;

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        await OpenNewAsync(context);
        if (plan.Order == IdOrder.Random)
            await LoadAsync(context, plan.Documents, cancel);
        await ClosedLoopWriters.RunAsync(Store, plan.Writers, TimeSpan.FromSeconds(context.Settings.Pick(3, 0.3)), NextNumber, cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        if (plan.Order == IdOrder.Ascending)
        {
            await OpenNewAsync(context);
            await LoadAsync(context, plan.Documents, cancel);
            _next = plan.Documents;
        }
        StoreCounters before = Store.Counters();
        TimeSpan cpuBefore = Environment.CpuUsage.TotalTime;
        WriteResult result = await ClosedLoopWriters.RunAsync(Store, plan.Writers, plan.Duration, NextNumber, cancel);
        TimeSpan cpu = Environment.CpuUsage.TotalTime - cpuBefore;
        StoreCounters after = Store.Counters();
        long writes = after.JournalWrites - before.JournalWrites;
        double writeSize = (after.JournalBytes - before.JournalBytes) / (double)writes;
        plan.TellWriteSize?.Invoke((int)Math.Ceiling(writeSize));
        double flushed = after.FlushedBytes - before.FlushedBytes;
        return new Sample()
            .With(Metric.Rate, result.Rate)
            .With(result.Latencies)
            .With(Metric.WriteSize, writeSize)
            .With(Metric.PerWrite, result.Latencies.Count / (double)writes)
            .With(Metric.Cpu, cpu.TotalMicroseconds / result.Latencies.Count)
            .With(Metric.Syncs, after.DataSyncs - before.DataSyncs)
            .With(Metric.Flushed, 100 * flushed / (flushed + after.UnflushedBytes));
    }

    public override Task SettleAsync(CancellationToken cancel) =>
        plan.Settles ? Store.SettleAsync(cleanTombstones: false, cancel) : Task.CompletedTask;

    private long NextNumber(Random random) =>
        plan.Order == IdOrder.Random ? random.NextInt64(plan.Documents) : Interlocked.Increment(ref _next) - 1;
}
