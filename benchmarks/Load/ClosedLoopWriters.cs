using System.Diagnostics;
using Jackdaw.Bench.Measurement;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.Load;

/// <summary>Writers in this process, each putting one document after another: the next when the one before is durable.</summary>
internal static class ClosedLoopWriters
{
    /// <param name="store">Where the documents go.</param>
    /// <param name="writers">How many at once.</param>
    /// <param name="duration">How long.</param>
    /// <param name="nextNumber">The number of a writer's next document; called by all writers at once.</param>
    /// <param name="cancel">Ends early.</param>
    public static async Task<WriteResult> RunAsync(
        EngineStore store,
        int writers,
        TimeSpan duration,
        Func<Random, long> nextNumber,
        CancellationToken cancel
    )
    {
        var bodies = new DocumentBodies();
        var clock = Stopwatch.StartNew();
        long end = Stopwatch.GetTimestamp() + (long)(duration.TotalSeconds * Stopwatch.Frequency);
        LatencyHistogram[] parts = await Task.WhenAll(
            Enumerable
                .Range(0, writers)
                .Select(w => Task.Run(() => WriteAsync(store, bodies, new Random(w), nextNumber, end, cancel), cancel))
        );
        return new WriteResult(LatencyHistogram.Merge(parts), clock.Elapsed.TotalSeconds);
    }

    private static async Task<LatencyHistogram> WriteAsync(
        EngineStore store,
        DocumentBodies bodies,
        Random random,
        Func<Random, long> nextNumber,
        long end,
        CancellationToken cancel
    )
    {
        var latencies = new LatencyHistogram();
        byte[] body = new byte[DocumentBodies.Size];
        while (Stopwatch.GetTimestamp() < end && !cancel.IsCancellationRequested)
        {
            long number = nextNumber(random);
            bodies.Write(number, body);
            string id = DocumentIds.Of(number);
            long start = Stopwatch.GetTimestamp();
            await store.PutAsync(id, body);
            latencies.RecordSince(start);
        }
        return latencies;
    }
}
