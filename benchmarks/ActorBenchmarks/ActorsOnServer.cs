using Jackdaw.Bench.DocumentBenchmarks;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Measurement;
using Jackdaw.Bench.Peers;
using Jackdaw.Bench.UnderTest;

namespace Jackdaw.Bench.ActorBenchmarks;

/// <summary>Actors whose journal is in the server.</summary>
internal sealed class ActorsOnServer(string name, string row, int events, TimeSpan duration) : ServerContender(name)
{
    private static readonly TimeSpan s_warmUp = TimeSpan.FromSeconds(2);
    private ActorsProcess? _actors;

    /// <summary>Takes the bytes of a write to the journal.</summary>
    public Action<int> TellWriteSize { get; init; } = _ => { };

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        await StartNewAsync(context, cancel);
        _actors = await ActorsProcess.StartAsync(["jackdaw", context.Directory, Server.Url, ServerUnderTest.Database], cancel);
        await _actors.RunAsync(row, context.Settings.Pick(s_warmUp, s_warmUp / 4), events, cancel);
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        (long records, long bytes) = await Server.JournalAsync(cancel);
        var cpu = new CpuMeter(Server.ProcessId);
        ActorsResult result = await _actors!.RunAsync(row, duration, events, cancel);
        double cpuMicroseconds = cpu.MicrosecondsPer(result.Events);
        (long recordsAfter, long bytesAfter) = await Server.JournalAsync(cancel);
        double writeSize = (bytesAfter - bytes) / (double)Math.Max(1, recordsAfter - records);
        Sample sample = ActorsOnPeer.ToSample(result).With(Metric.Cpu, cpuMicroseconds);
        if (recordsAfter == records)
            return sample;
        TellWriteSize((int)writeSize);
        return sample.With(Metric.WriteSize, writeSize);
    }

    public override async Task CloseAsync()
    {
        if (_actors is not null)
            await _actors.DisposeAsync();
        _actors = null;
        await base.CloseAsync();
    }
}
