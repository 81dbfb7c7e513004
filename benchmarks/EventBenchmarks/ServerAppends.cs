using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.EventBenchmarks;

/// <summary>The server under appends of groups of events of 1 KB.</summary>
internal class ServerAppends(string name, int connections, int eventsOfAGroup, double fullSeconds, double quickSeconds)
    : ServerContender(name)
{
    /// <summary>Takes the bytes of a write to the journal.</summary>
    public Action<int> TellWriteSize { get; init; } = _ => { };

    /// <summary>Streams that each of the generator's threads writes to.</summary>
    public int StreamsOfAThread { get; init; } = 1_000;

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        await StartNewAsync(context, cancel);
        await MeasureAsync(context, context.Settings.Duration(3, 1), cancel);
    }

    public override Task<Sample> RunAsync(RunContext context, CancellationToken cancel) =>
        MeasureAsync(context, context.Settings.Duration(fullSeconds, quickSeconds), cancel);

    /// <summary>The load of a round.</summary>
    protected EventLoad Load(int round) =>
        new(Server.Url + ServerUnderTest.EventsPath, $"round{round}-", eventsOfAGroup, connections) { StreamsOfAThread = StreamsOfAThread };

    protected async Task<Sample> MeasureAsync(RunContext context, TimeSpan duration, CancellationToken cancel)
    {
        long before = await Server.DurablePositionAsync(cancel);
        (long records, long bytes) = await Server.JournalAsync(cancel);
        var cpu = new CpuMeter(Server.ProcessId);
        long allocated = await Server.AllocatedBytesAsync(cancel);
        HttpLoadResult result = await Load(context.Round).RunAsync(duration, context.Directory, cancel);
        long events = result.Requests * eventsOfAGroup;
        double cpuMicroseconds = cpu.MicrosecondsPer(events);
        allocated = await Server.AllocatedBytesAsync(cancel) - allocated;
        (long recordsAfter, long bytesAfter) = await Server.JournalAsync(cancel);
        // wrk leaves a request a connection unanswered at its end, so there may be more events than answers, never fewer.
        long stored = await Server.DurablePositionAsync(cancel) - before;
        if (stored < events)
            throw new IOException($"{events} events were acknowledged and {stored} are stored");
        double writeSize = (bytesAfter - bytes) / (double)Math.Max(1, recordsAfter - records);
        TellWriteSize((int)writeSize);
        return new Sample()
            .With(Metric.Rate, result.Rate * eventsOfAGroup)
            .With(Metric.P50, result.P50Ms)
            .With(Metric.P99, result.P99Ms)
            .With(Metric.P999, result.P999Ms)
            .With(Metric.WriteSize, writeSize)
            .With(Metric.PerWrite, stored / (double)Math.Max(1, recordsAfter - records))
            .With(Metric.Cpu, cpuMicroseconds)
            .With(Metric.Allocated, allocated / 1024.0 / Math.Max(1, result.Requests));
    }
}
