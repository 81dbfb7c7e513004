using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.StorageBenchmarks;

/// <summary>Load, rewrite ten times, delete; a new store each run.</summary>
internal sealed class StoreSpace(long documents)
    : StoreContender(Jackdaw, new StoreOptions { TombstoneCleaningInterval = TimeSpan.FromSeconds(1) })
{
    public static readonly Metric AfterLoad = new("file after one load", "MB");
    public static readonly Metric AfterRewriting = new("after ten rewrites", "MB");

    /// <summary>Pages in use after deleting everything, beyond one a structure.</summary>
    public static readonly Metric PagesLeft = new("pages left by deleting", "");

    private const int Rewrites = 10;
    private const int DeleteBatch = 700;

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        await OpenNewAsync(context);
        await LoadAsync(context, documents, cancel);
        long loaded = Store.Counters().DataFileBytes;
        for (int i = 1; i <= Rewrites; i++)
            await PutAllAsync(context, $"rewriting ({i})", documents, cancel);
        await Store.SettleAsync(cleanTombstones: false, cancel);
        long rewritten = Store.Counters().DataFileBytes;
        for (long first = 0; first < documents; first += DeleteBatch)
        {
            long start = first;
            await Store.DeleteManyAsync([
                .. Enumerable.Range(0, (int)Math.Min(DeleteBatch, documents - first)).Select(i => DocumentIds.Of(start + i)),
            ]);
        }
        await Store.SettleAsync(cleanTombstones: true, cancel);
        return new Sample()
            .With(AfterLoad, loaded / 1e6)
            .With(AfterRewriting, rewritten / 1e6)
            .With(PagesLeft, Store.PagesBeyondOneAStructure());
    }
}
