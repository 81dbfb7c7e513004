using System.Globalization;

namespace Jackdaw.Server.Metrics;

/// <summary>Memory of this process as the kernel counts it.</summary>
internal static class ProcessStatus
{
    private const string File = "/proc/self/status";
    private const string AnonymousKey = "RssAnon:";

    /// <summary>Returns the resident anonymous memory in bytes: heaps, stacks and native pieces, without mapped files. 0 where the kernel
    /// does not tell.</summary>
    public static long AnonymousBytes() => System.IO.File.Exists(File) ? AnonymousBytes(System.IO.File.ReadLines(File)) : 0;

    internal static long AnonymousBytes(IEnumerable<string> lines)
    {
        var line = lines.FirstOrDefault(line => line.StartsWith(AnonymousKey, StringComparison.Ordinal)).AsSpan();
        var kilobytes = line.IsEmpty ? line : line[AnonymousKey.Length..].Trim().TrimEnd("kB").Trim();
        return long.TryParse(kilobytes, NumberStyles.None, CultureInfo.InvariantCulture, out var number) ? number * 1024 : 0;
    }
}
