using System.Diagnostics;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>Clients that connect, ask once and leave.</summary>
internal static class TlsConnects
{
    public const double FullSeconds = 15,
        QuickSeconds = 2;
    private const int Clients = 8;

    /// <summary>Connections for each second of the server's processor time.</summary>
    public static readonly Metric PerCore = new("per core", "/s");

    public static async Task<Sample> MeasureAsync(string url, int processId, TimeSpan duration, CancellationToken cancel)
    {
        var cpu = new CpuMeter(processId);
        long end = Stopwatch.GetTimestamp() + (long)(duration.TotalSeconds * Stopwatch.Frequency);
        var clock = Stopwatch.StartNew();
        byte[] request = RequestBytes.Get(new Uri(url), "/build/version");
        LatencyHistogram all = LatencyHistogram.Merge(
            await Task.WhenAll(Enumerable.Range(0, Clients).Select(_ => Task.Run(() => ConnectAsync(url, request, end, cancel), cancel)))
        );
        double used = cpu.MicrosecondsPer(all.Count);
        return new Sample()
            .With(PerCore, 1_000_000 / used)
            .With(Metric.Rate, all.Count / clock.Elapsed.TotalSeconds)
            .With(Metric.P99, all.PercentileMs(99))
            .With(Metric.Cpu, used);
    }

    private static async Task<LatencyHistogram> ConnectAsync(string url, byte[] request, long end, CancellationToken cancel)
    {
        var latencies = new LatencyHistogram();
        while (Stopwatch.GetTimestamp() < end)
        {
            long start = Stopwatch.GetTimestamp();
            using RawHttpConnection open = await RawHttpConnection.OpenAsync(url, cancel, BenchCertificate.Context);
            int status = await open.SendAsync(request, cancel);
            latencies.RecordSince(start);
            if (status != 200)
                throw new IOException($"the server answered {status} to a new connection");
        }
        return latencies;
    }
}
