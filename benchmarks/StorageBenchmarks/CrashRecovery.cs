using System.Globalization;
using Jackdaw.Bench.Frame;
using Jackdaw.Bench.Peers;

namespace Jackdaw.Bench.StorageBenchmarks;

/// <summary>
/// A process fills a store's journal without flushing and kills itself; for each run, another opens a copy of that folder
/// and tells how long recovery took and the most memory it held.
/// </summary>
internal sealed class CrashRecovery(string name, bool compressed, int journalMegabytes) : Contender(name)
{
    /// <summary>Peak of the anonymous memory of the recovering process, in 10^6 bytes.</summary>
    public static readonly Metric Memory = new("peak anonymous RSS", "MB");

    private static readonly string Program = typeof(CrashRecovery).Assembly.Location;
    private string? _crashed;
    private long _journalBytes;

    public override async Task PrepareAsync(RunContext context, CancellationToken cancel)
    {
        _crashed = Path.Combine(context.Directory, "crashed");
        string[] arguments =
        [
            Program,
            "peer",
            "fill-journal",
            "--dir",
            _crashed,
            "--megabytes",
            journalMegabytes.ToString(CultureInfo.InvariantCulture),
            .. compressed ? ["--compressed"] : Array.Empty<string>(),
        ];
        // It tells the bytes it has written and then ends by SIGKILL, so its exit code means nothing.
        string output = await Programs.RunAsync("bash", ["-c", "\"$0\" \"$@\" || true", "dotnet", .. arguments], cancel);
        _journalBytes = ReadLine(output, "journal ");
    }

    public override async Task<Sample> RunAsync(RunContext context, CancellationToken cancel)
    {
        string copy = Path.Combine(context.Directory, "copy");
        Workspace.Remove(copy);
        await Programs.RunAsync("cp", ["-r", _crashed!, copy], cancel);
        Measurement.FileSystem.Sync(context.Directory);
        string output = await Programs.RunAsync("dotnet", [Program, "peer", "recover", "--dir", copy], cancel);
        double seconds = ReadLine(output, "microseconds ") / 1e6;
        return new Sample()
            .With(Metric.Throughput, _journalBytes / 1e6 / seconds)
            .With(Metric.Seconds, seconds)
            .With(Memory, ReadLine(output, "anonymous ") / 1e6);
    }

    private static long ReadLine(string output, string key)
    {
        string? line = output.Split('\n').FirstOrDefault(l => l.StartsWith(key, StringComparison.Ordinal));
        return line is null
            ? throw new IOException($"no line \"{key}\" in: {output}")
            : long.Parse(line[key.Length..], CultureInfo.InvariantCulture);
    }
}
