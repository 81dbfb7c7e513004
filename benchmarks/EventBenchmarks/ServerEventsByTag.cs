using System.Globalization;
using System.Net.Http.Headers;
using System.Text;
using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.EventBenchmarks;

/// <summary>Reads of ten events by a random tag.</summary>
internal sealed class ServerEventsByTag(string name, long events) : ServerContender(name)
{
    public const int Tags = 1_000;
    private const int StreamsOfARequest = 50;
    private const int EventsOfAGroup = 20;
    private const int Writers = 4;

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        await StartNewAsync(context, cancel);
        context.Progress($"appending {events:N0} events");
        long next = 0;
        await Task.WhenAll(Enumerable.Range(0, Writers).Select(_ => Task.Run(AppendAsync, cancel)));
        long durable = await Server.DurablePositionAsync(cancel);
        if (durable < events)
            throw new IOException($"{events} events were acknowledged and {durable} are stored");
        await MeasureAsync(context, context.Settings.Duration(2, 1), cancel);

        async Task AppendAsync()
        {
            for (long first; (first = Interlocked.Add(ref next, StreamsOfARequest * EventsOfAGroup)) <= events; )
            {
                using var body = new ByteArrayContent(Groups(first - (StreamsOfARequest * EventsOfAGroup)));
                body.Headers.ContentType = new MediaTypeHeaderValue("application/json");
                await Server.AppendAsync(body, cancel);
            }
        }
    }

    public override Task<Sample> RunAsync(RunContext context, CancellationToken cancel) =>
        MeasureAsync(context, context.Settings.Duration(4, 1), cancel);

    /// <summary>Fifty streams of twenty events; the tags take turns in the order of positions.</summary>
    private static byte[] Groups(long first)
    {
        var body = new StringBuilder("{\"groups\":[");
        for (int stream = 0; stream < StreamsOfARequest; stream++)
        {
            body.Append(
                CultureInfo.InvariantCulture,
                $"{(stream > 0 ? "," : "")}{{\"stream\":\"s{first}-{stream}\",\"first\":1,\"events\":["
            );
            for (int i = 0; i < EventsOfAGroup; i++)
            {
                long number = first + (stream * EventsOfAGroup) + i;
                body.Append(
                    CultureInfo.InvariantCulture,
                    $"{(i > 0 ? "," : "")}{{\"payload\":{{\"number\":{number},\"text\":\"{number:D12} is an event of about a hundred bytes, all told\"}},\"tags\":[\"t{number % Tags}\"]}}"
                );
            }
            body.Append("]}");
        }
        return Encoding.ASCII.GetBytes(body.Append("]}").ToString());
    }

    private async Task<Sample> MeasureAsync(RunContext context, TimeSpan duration, CancellationToken cancel)
    {
        string path = string.Create(CultureInfo.InvariantCulture, $"{ServerUnderTest.EventsPath}/tagged?after={events / 2}&max=10&tag=t");
        await Server.RequireEventsAsync(path + "7", 10, cancel);
        var cpu = new CpuMeter(Server.ProcessId);
        HttpLoadResult result = await new GetLoad(Server.Url, path, Tags).RunAsync(
            connections: 1,
            duration,
            context.Round,
            context.Directory,
            cancel
        );
        return result.ToSample().With(Metric.Cpu, cpu.MicrosecondsPer(result.Requests));
    }
}
