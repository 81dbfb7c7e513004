using System.Globalization;

namespace Jackdaw.Bench.Measurement;

/// <summary>
/// Processor time that a process and its direct children use from the meter's start on, children that have ended included. It says what
/// an operation costs even where other programs take the cores.
/// </summary>
internal sealed class CpuMeter(int processId)
{
    // Fields of /proc/PID/stat after the name in parentheses: state, parent, ... ; times in clock ticks of 10 ms (USER_HZ is 100 on Linux).
    private const int Parent = 1,
        UserTime = 11,
        SystemTime = 12,
        EndedChildrenUserTime = 13,
        EndedChildrenSystemTime = 14;
    private const double MicrosecondsPerTick = 10_000;
    private readonly double _start = Ticks(processId);

    /// <summary>Microseconds of processor time an operation.</summary>
    public double MicrosecondsPer(long operations) => (Ticks(processId) - _start) * MicrosecondsPerTick / operations;

    private static double Ticks(int processId)
    {
        long[] own = Fields($"/proc/{processId}/stat") ?? throw new IOException($"process {processId} has ended");
        double ticks = own[UserTime] + own[SystemTime] + own[EndedChildrenUserTime] + own[EndedChildrenSystemTime];
        foreach (string directory in Directory.EnumerateDirectories("/proc").Where(d => char.IsAsciiDigit(d["/proc/".Length])))
        {
            if (Fields(directory + "/stat") is { } child && child[Parent] == processId)
                ticks += child[UserTime] + child[SystemTime];
        }
        return ticks;
    }

    /// <summary>The numbers after the name (the state, a letter, reads as 0), or null when the process has ended.</summary>
    private static long[]? Fields(string file)
    {
        string text;
        try
        {
            text = File.ReadAllText(file);
        }
        catch (IOException)
        {
            return null;
        }
        string[] fields = text[(text.LastIndexOf(')') + 2)..].Split(' ');
        return
        [
            .. fields
                .Take(EndedChildrenSystemTime + 1)
                .Select(f => long.TryParse(f, CultureInfo.InvariantCulture, out long value) ? value : 0),
        ];
    }
}
