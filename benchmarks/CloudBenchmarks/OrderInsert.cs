using System.Diagnostics;
using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;

namespace Jackdaw.Bench.CloudBenchmarks;

/// <summary>The same orders by one bulk insert, with no task.</summary>
internal sealed class OrderInsert(long orders) : ServerContender(RowName)
{
    public const string RowName = "jackdaw, bulk insert alone";

    public override Task PrepareAsync(RunContext context, CancellationToken cancel) => StartNewAsync(context, cancel);

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        await Server.RecreateDatabaseAsync(cancel);
        var clock = Stopwatch.StartNew();
        await Server.BulkInsertAsync(new OrderBodies(), 0, orders, cancel);
        double seconds = clock.Elapsed.TotalSeconds;
        await Server.RequireCountAsync(orders, cancel);
        return new Sample().With(Metric.Rate, orders / seconds).With(Metric.Seconds, seconds);
    }
}
