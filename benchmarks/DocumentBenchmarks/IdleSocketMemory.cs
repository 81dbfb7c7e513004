using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Load;
using Jackdaw.Bench.Measurement;

namespace Jackdaw.Bench.DocumentBenchmarks;

/// <summary>Opens idle sockets to a process and looks at its memory.</summary>
internal static class IdleSocketMemory
{
    public static readonly Metric Before = new("before", "MB", 1);

    /// <summary>As soon as the last socket is open.</summary>
    public static readonly Metric Opened = new("once opened", "MB", 1);

    private const double Megabyte = 1e6;

    public static int Sockets(RunSettings settings) => settings.Pick(10_000, 1_000);

    /// <summary>Memory is given back by a look every ten seconds, once little has been allocated between two of them.</summary>
    public static TimeSpan Rest(RunSettings settings) => settings.Duration(40, 1);

    /// <summary>One measurement.</summary>
    public static async Task<Sample> MeasureAsync(
        RunContext context,
        int processId,
        string url,
        string path,
        bool watches,
        CancellationToken cancel
    )
    {
        double before = ProcessMemory.Anonymous(processId) / Megabyte;
        using var sockets = new IdleSockets();
        context.Progress("opening sockets");
        await sockets.OpenAsync(url, path, Sockets(context.Settings), watches, cancel);
        double opened = ProcessMemory.Anonymous(processId) / Megabyte;
        context.Progress("resting");
        await Task.Delay(Rest(context.Settings), cancel);
        sockets.RequireAllOpen();
        return new Sample()
            .With(Before, before)
            .With(Opened, opened)
            .With(Metric.AnonymousMemory, ProcessMemory.Anonymous(processId) / Megabyte);
    }
}
