using System.Diagnostics;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.CommandLine;

/// <summary>The two processes of the recovery benchmark.</summary>
internal static class StorePeers
{
    private const int Batch = 700;
    private const int Writers = 64;

    /// <summary>
    /// Fills the journal of a new store without flushing, by operations of many documents (compressed) or of one each (plain), tells how
    /// much it wrote, and kills this process.
    /// </summary>
    public static async Task FillJournalAsync(string directory, long bytes, bool compressed, CancellationToken cancel)
    {
        EngineStore store = EngineStore.Open(directory, new StoreOptions { Flush = false, CompressedJournal = compressed });
        var bodies = new DocumentBodies();
        long next = 0;
        while (store.Counters().JournalBytes < bytes)
        {
            if (compressed)
            {
                await store.PutManyAsync([
                    .. Enumerable.Range(0, Batch).Select(_ => KeyValuePair.Create(DocumentIds.Of(next), bodies.Create(next++))),
                ]);
            }
            else
            {
                await ClosedLoopWriters.RunAsync(
                    store,
                    Writers,
                    TimeSpan.FromSeconds(0.2),
                    _ => Interlocked.Increment(ref next) - 1,
                    cancel
                );
            }
        }
        Console.WriteLine($"journal {store.Counters().JournalBytes}");
        Console.Out.Flush();
        _ = Libc.Kill(Environment.ProcessId, Libc.SignalKill);
    }

    /// <summary>Opens the store, which recovers it, and tells the time and the memory.</summary>
    public static async Task RecoverAsync(string directory, CancellationToken cancel)
    {
        using var watched = CancellationTokenSource.CreateLinkedTokenSource(cancel);
        long peak = 0;
        var watcher = new Thread(() => peak = WatchMemory(watched.Token)) { Name = "memory watcher" };
        watcher.Start();
        var clock = Stopwatch.StartNew();
        await using EngineStore store = EngineStore.Open(directory, new StoreOptions());
        double microseconds = clock.Elapsed.TotalMicroseconds;
        await watched.CancelAsync();
        watcher.Join();
        Console.WriteLine($"microseconds {microseconds:0}");
        Console.WriteLine($"anonymous {peak}");
        Console.WriteLine($"documents {store.Count}");
    }

    private static long WatchMemory(CancellationToken end)
    {
        long peak = 0;
        do
        {
            peak = Math.Max(peak, ProcessMemory.Anonymous(Environment.ProcessId));
        } while (!end.WaitHandle.WaitOne(TimeSpan.FromMilliseconds(20)));
        return peak;
    }
}
