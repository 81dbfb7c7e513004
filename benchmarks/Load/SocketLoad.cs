using System.Diagnostics;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.Load;

/// <summary>The built-in load generator: one asynchronous loop a connection. Slower than wrk, but there on every machine.</summary>
internal static class SocketLoad
{
    /// <exception cref="IOException">An answer was an error or a connection ended.</exception>
    public static async Task<HttpLoadResult> RunAsync(HttpLoad load, CancellationToken cancel)
    {
        var bodies = new DocumentBodies();
        long end = Stopwatch.GetTimestamp() + (long)(load.Duration.TotalSeconds * Stopwatch.Frequency);
        var clock = Stopwatch.StartNew();
        LatencyHistogram[] parts = await Task.WhenAll(
            Enumerable.Range(0, load.Connections).Select(c => Task.Run(() => SendAsync(load, bodies, c, end, cancel), cancel))
        );
        double seconds = clock.Elapsed.TotalSeconds;
        LatencyHistogram all = LatencyHistogram.Merge(parts);
        return new HttpLoadResult(
            all.Count,
            all.Count / seconds,
            all.PercentileMs(50),
            all.PercentileMs(99),
            all.PercentileMs(99.9),
            all.MaxMs
        );
    }

    private static async Task<LatencyHistogram> SendAsync(
        HttpLoad load,
        DocumentBodies bodies,
        int connection,
        long end,
        CancellationToken cancel
    )
    {
        var url = new Uri(load.Url);
        var random = new Random(load.Run * 1024 + connection);
        var latencies = new LatencyHistogram();
        byte[] body = new byte[DocumentBodies.Size];
        using RawHttpConnection open = await RawHttpConnection.OpenAsync(load.Url, cancel, load.Certificate);
        for (long number = 1; Stopwatch.GetTimestamp() < end; number++)
        {
            byte[] request;
            if (load.Kind == HttpLoadKind.GetRandom)
            {
                request = RequestBytes.Get(url, load.PathPrefix + random.NextInt64(load.Documents));
            }
            else
            {
                bodies.Write(number, body);
                request = RequestBytes.Put(url, $"{load.PathPrefix}{connection}-{number}", body);
            }
            long start = Stopwatch.GetTimestamp();
            int status = await open.SendAsync(request, cancel);
            latencies.RecordSince(start);
            if (status is < 200 or > 299)
                throw new IOException($"the server answered {status} to request {number} of connection {connection}");
        }
        return latencies;
    }
}
