using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Measurement;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.SearchBenchmarks;

/// <summary>A newly started server that is loaded and builds five indexes, which are emptied whenever they are complete.</summary>
internal sealed class ServerIndexMemory(long orders, TimeSpan length) : OrdersServer(Jackdaw, orders)
{
    /// <summary>The longest time for which a collection of generation 2 stopped all threads.</summary>
    public static readonly Metric LongestPause = new("longest gen 2 pause", "ms", 2);

    private static readonly Metric s_collections = new("gen 2 collections", "");
    private static readonly Metric s_builds = new("builds of all five", "");
    private static readonly TimeSpan s_lookInterval = TimeSpan.FromMilliseconds(100);
    private const double Megabyte = 1e6;

    private readonly Dictionary<long, double> _pauses = [];
    private long _heap;
    private long _anonymous;

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        IReadOnlyList<string> indexes = await LoadOrdersAsync(context, SeparateOrderIndexes.Five, cancel);
        HashSet<long> before = [.. (await Server.LastGeneration2CollectionsAsync(cancel)).Select(collection => collection.Index)];
        using var enough = CancellationTokenSource.CreateLinkedTokenSource(cancel);
        Task looking = LookAsync(enough.Token);
        context.Progress("indexing");
        int builds = await IndexAsync(indexes, cancel);
        await enough.CancelAsync();
        await looking;
        await LookOnceAsync(cancel);
        double[] pauses = [.. _pauses.Where(pause => !before.Contains(pause.Key)).Select(pause => pause.Value)];
        Sample sample = new Sample()
            .With(Metric.Documents, Count)
            .With(Metric.ManagedHeap, _heap / Megabyte)
            .With(Metric.AnonymousMemory, _anonymous / Megabyte)
            .With(Metric.PeakMemory, ProcessMemory.Peak(Server.ProcessId) / Megabyte)
            .With(LongestPause, pauses.DefaultIfEmpty(0).Max())
            .With(s_collections, pauses.Length)
            .With(s_builds, builds);
        await CloseAsync();
        return sample;
    }

    /// <summary>Builds all indexes until the time is up, and at least once to the end.</summary>
    private async Task<int> IndexAsync(IReadOnlyList<string> indexes, CancellationToken cancel)
    {
        var clock = System.Diagnostics.Stopwatch.StartNew();
        for (int builds = 0; ; builds++)
        {
            if (builds > 0 && clock.Elapsed >= length)
                return builds;
            foreach (string index in indexes)
            {
                if (builds > 0)
                    await Server.ResetIndexAsync(index, cancel);
                else
                    await Server.EnableIndexAsync(index, cancel);
            }
            while (true)
            {
                if (builds > 0 && clock.Elapsed >= length)
                    return builds;
                if (!await Server.HasStaleIndexAsync(cancel))
                    break;
                await Task.Delay(s_lookInterval, cancel);
            }
        }
    }

    private async Task LookAsync(CancellationToken end)
    {
        try
        {
            while (true)
            {
                await LookOnceAsync(end);
                await Task.Delay(s_lookInterval, end);
            }
        }
        catch (OperationCanceledException)
        {
            // The minute is over.
        }
    }

    private async Task LookOnceAsync(CancellationToken cancel)
    {
        foreach (Generation2Collection collection in await Server.LastGeneration2CollectionsAsync(cancel))
            _pauses[collection.Index] = collection.PauseMs;
        _heap = Math.Max(_heap, await Server.ManagedHeapBytesAsync(cancel));
        _anonymous = Math.Max(_anonymous, ProcessMemory.Anonymous(Server.ProcessId));
    }
}
