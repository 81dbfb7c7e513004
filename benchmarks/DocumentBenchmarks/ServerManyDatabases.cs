using System.Diagnostics;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>
/// A server that starts on many databases and is left alone. Each run starts it anew on the same folder: every other time after a
/// clean end, the other times after kill -9.
/// </summary>
internal sealed class ServerManyDatabases(int databases, long documents) : ServerContender(Jackdaw)
{
    /// <summary>From the start of the process to the answer to a GET of a document of one database.</summary>
    public static readonly Metric FirstAnswer = new("first answer", "s", 2);

    /// <summary>From the start of the process to <c>/health/ready</c>.</summary>
    public static readonly Metric Ready = new("ready", "s", 2);

    /// <summary>Anonymous resident memory beyond that of a server without databases, in 10^6 bytes a database.</summary>
    public static readonly Metric MemoryADatabase = new("a database", "MB", 3);

    /// <summary>Threads of the process while nothing happens.</summary>
    public static readonly Metric Threads = new("threads", "");

    /// <summary>Processor time of the process while nothing happens, as a share of one core.</summary>
    public static readonly Metric IdleCpu = new("idle cpu", "%", 2);

    /// <summary>What was begun has ended: the last flush and sync, the last look for evicted pages, threads that are not needed any
    /// more.</summary>
    private static readonly TimeSpan s_calm = TimeSpan.FromSeconds(30);

    private const double Megabyte = 1e6;

    private long _emptyServerBytes;

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        await StartNewAsync(context, cancel);
        await Task.Delay(context.Settings.Pick(s_calm, s_calm / 10), cancel);
        _emptyServerBytes = ProcessMemory.Anonymous(Server.ProcessId);
        for (int i = 0; i < databases; i++)
        {
            context.Progress($"loading database {i + 1:N0} of {databases:N0}");
            await Server.CreateDatabaseAsync(DatabaseName(i), documents, cancel);
        }
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        if (context.Round % 2 == 0)
            await Server.KillAsync();
        await CloseAsync();

        var clock = Stopwatch.StartNew();
        await RestartAsync(context, cancel);
        // One from the middle: it is asked for before its turn.
        await Server.RequireDocumentAsync(DatabaseName(databases / 2), documents - 1, cancel);
        double firstAnswer = clock.Elapsed.TotalSeconds;
        while (!await Server.IsReadyAsync(cancel))
            await Task.Delay(20, cancel);
        double ready = clock.Elapsed.TotalSeconds;
        for (int i = 0; i < databases; i++)
            await Server.RequireDocumentAsync(DatabaseName(i), 0, cancel);

        context.Progress("left alone");
        await Task.Delay(context.Settings.Pick(s_calm, s_calm / 6), cancel);
        var cpu = new CpuMeter(Server.ProcessId);
        var watched = Stopwatch.StartNew();
        await Task.Delay(context.Settings.Duration(30, 3), cancel);
        double cores = cpu.MicrosecondsPer(1) / watched.Elapsed.TotalMicroseconds;
        return new Sample()
            .With(FirstAnswer, firstAnswer)
            .With(Ready, ready)
            .With(MemoryADatabase, (ProcessMemory.Anonymous(Server.ProcessId) - _emptyServerBytes) / Megabyte / databases)
            .With(Threads, Directory.GetDirectories($"/proc/{Server.ProcessId}/task").Length)
            .With(IdleCpu, 100 * cores);
    }

    private static string DatabaseName(int i) => $"many{i}";
}
