using System.Diagnostics;
using System.Globalization;
using System.Text;
using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.EventBenchmarks;

/// <summary>One live reader of one stream and one writer to it.</summary>
internal sealed class ServerLiveLatency(string name, int events, bool isBusy) : ServerContender(name)
{
    private static readonly TimeSpan s_gap = TimeSpan.FromMilliseconds(2);
    private static readonly TimeSpan s_lost = TimeSpan.FromSeconds(30);
    private readonly DocumentBodies _bodies = new();
    private long _next = 1;

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        await StartNewAsync(context, cancel);
        // What is compiled on the way is not measured.
        await RunAsync(context, cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        using var enough = CancellationTokenSource.CreateLinkedTokenSource(cancel);
        Task load = isBusy ? LoadAsync(context, enough.Token) : Task.CompletedTask;
        try
        {
            return new Sample().With(await MeasureAsync(load, enough.Token));
        }
        finally
        {
            await enough.CancelAsync();
            await load.ContinueWith(_ => { }, TaskScheduler.Default);
        }
    }

    private async Task<LatencyHistogram> MeasureAsync(Task load, CancellationToken cancel)
    {
        var latencies = new LatencyHistogram();
        using var reader = new StreamReader(await Server.OpenLiveAsync("stream=watched", cancel));
        await NextLineAsync(reader, cancel);
        using RawHttpConnection writer = await RawHttpConnection.OpenAsync(Server.Url, cancel);
        for (int i = 0; i < events; i++, _next++)
        {
            await Task.Delay(s_gap, cancel);
            if (isBusy && load.IsCompleted)
                await load; // it failed, and says how
            Task<long> arrival = ArrivalAsync(reader, _next, cancel);
            int status = await writer.SendAsync(Append(_next), cancel);
            long acknowledged = Stopwatch.GetTimestamp();
            if (status != 200 || writer.Answer.IndexOf("\"stored\""u8) < 0)
                throw new IOException($"event {_next} was not stored: {Encoding.UTF8.GetString(writer.Answer)}");
            long arrived = await arrival;
            latencies.Record((long)(Math.Max(0, arrived - acknowledged) * (1e9 / Stopwatch.Frequency)));
        }
        return latencies;
    }

    private byte[] Append(long number)
    {
        string payload = Encoding.UTF8.GetString(_bodies.Create(number));
        byte[] body = Encoding.UTF8.GetBytes(
            string.Create(
                CultureInfo.InvariantCulture,
                $"{{\"groups\":[{{\"stream\":\"watched\",\"expectedLast\":{number - 1},\"events\":[{{\"payload\":{payload}}}]}}]}}"
            )
        );
        return RequestBytes.Post(new Uri(Server.Url), ServerUnderTest.EventsPath, body);
    }

    /// <summary>When the line of an event was there.</summary>
    private static async Task<long> ArrivalAsync(StreamReader reader, long number, CancellationToken cancel)
    {
        string expected = string.Create(CultureInfo.InvariantCulture, $"\"number\":{number},");
        long began = Stopwatch.GetTimestamp();
        while (true)
        {
            string line = await NextLineAsync(reader, cancel);
            long now = Stopwatch.GetTimestamp();
            if (line.Contains(expected, StringComparison.Ordinal))
                return now;
            if (!line.Contains("\"heartbeat\":", StringComparison.Ordinal) || Stopwatch.GetElapsedTime(began) > s_lost)
                throw new IOException($"event {number} did not come; instead: {line}");
        }
    }

    private static async Task<string> NextLineAsync(StreamReader reader, CancellationToken cancel) =>
        await reader.ReadLineAsync(cancel).AsTask().WaitAsync(s_lost, cancel) ?? throw new IOException("the server ended the live read");

    private async Task LoadAsync(RunContext context, CancellationToken cancel)
    {
        for (int i = 0; !cancel.IsCancellationRequested; i++)
        {
            var load = new EventLoad(Server.Url + ServerUnderTest.EventsPath, $"round{context.Round}-{i}-", 10, 32);
            await load.RunAsync(TimeSpan.FromSeconds(5), context.Directory, cancel);
        }
    }
}
