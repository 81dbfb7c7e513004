using System.Globalization;

namespace Jackdaw.Bench.Measurement;

/// <summary>Memory of a process as the kernel counts it, in bytes.</summary>
internal static class ProcessMemory
{
    /// <summary>Resident anonymous pages: heap, stacks and native allocations, without mapped files.</summary>
    /// <remarks>From the kernel's counters: a walk over all mapped pages (smaps) would take a quarter of a core from what is
    /// measured.</remarks>
    public static long Anonymous(int processId) => Kilobytes($"/proc/{processId}/status", "RssAnon:");

    /// <summary>The highest resident size so far, mapped files included.</summary>
    public static long Peak(int processId) => Kilobytes($"/proc/{processId}/status", "VmHWM:");

    private static long Kilobytes(string file, string key)
    {
        string line = File.ReadLines(file).First(l => l.StartsWith(key, StringComparison.Ordinal));
        return 1024 * long.Parse(line[key.Length..].Replace("kB", "", StringComparison.Ordinal).Trim(), CultureInfo.InvariantCulture);
    }
}
