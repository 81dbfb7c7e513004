using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>PUTs on one connection, with or without a bulk insert that begins before and ends after them.</summary>
internal sealed class ServerPutLatency(string name, bool withBulkInsert, double fullSeconds, double quickSeconds) : ServerContender(name)
{
    public const string DuringLoad = "jackdaw, during a bulk insert";
    public const string Alone = "jackdaw, without";
    private static readonly Metric BulkRate = new("bulk insert", "/s");
    private static readonly TimeSpan RunIn = TimeSpan.FromSeconds(0.5);

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        await StartNewAsync(context, cancel);
        if (withBulkInsert)
            await LoadAsync(context, context.Settings.Pick(200_000, 50_000), cancel);
        await SendAsync(context, HttpLoadKind.PutDistinct, 16, context.Settings.Duration(5, 1), context.Round, documents: 0, cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        await Server.RecreateDatabaseAsync(cancel);
        using var enough = CancellationTokenSource.CreateLinkedTokenSource(cancel);
        var clock = System.Diagnostics.Stopwatch.StartNew();
        Task<long> load = withBulkInsert ? Server.BulkInsertAsync(0, long.MaxValue, cancel, enough.Token) : Task.FromResult(0L);
        await Task.Delay(RunIn, cancel);
        HttpLoadResult puts = await SendAsync(
            context,
            HttpLoadKind.PutDistinct,
            connections: 1,
            context.Settings.Duration(fullSeconds, quickSeconds),
            context.Round,
            documents: 0,
            cancel
        );
        if (withBulkInsert && load.IsCompleted)
            await load; // it failed, and says how
        await enough.CancelAsync();
        long loaded = await load;
        Sample sample = puts.ToSample();
        return withBulkInsert ? sample.With(BulkRate, loaded / clock.Elapsed.TotalSeconds) : sample;
    }
}
