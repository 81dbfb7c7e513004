using System.Globalization;

namespace Jackdaw.Storage.Memory;

/// <summary>How much memory the process may have: the limit of its control group (version 2, then version 1), else what the
/// machine has.</summary>
/// <param name="Bytes">The limit.</param>
/// <param name="Source">Where it is from: a file's path.</param>
public sealed record MemoryLimit(long Bytes, string Source)
{
    /// <summary>A limit of version 1 that stands for none.</summary>
    private const long NoLimit = 1L << 60;

    /// <summary>Reads the limit of this process.</summary>
    /// <param name="root">The root of the file system; a test gives a folder of its own.</param>
    public static MemoryLimit Read(string root = "/")
    {
        var machine = ReadMachine(root);
        MemoryLimit least = machine;
        foreach (var (folder, file) in Groups(root))
        {
            // A group is held to the limits of those above it, too.
            for (
                var at = folder;
                at.StartsWith(Path.Combine(root, "sys/fs/cgroup"), StringComparison.Ordinal);
                at = Path.GetDirectoryName(at)!
            )
            {
                var path = Path.Combine(at, file);
                if (ReadNumber(path) is { } bytes && bytes < NoLimit && bytes > 0 && bytes < least.Bytes)
                    least = new MemoryLimit(bytes, path);
            }
        }
        return least;
    }

    /// <summary>The folders of this process's groups that can limit memory, and the names of their limits.</summary>
    private static IEnumerable<(string Folder, string File)> Groups(string root)
    {
        var mount = Path.Combine(root, "sys/fs/cgroup");
        // Each line is id:controllers:path; version 2 has no controllers.
        foreach (var line in ReadLines(Path.Combine(root, "proc/self/cgroup")))
        {
            var parts = line.Split(':', 3);
            if (parts.Length != 3)
                continue;
            var path = parts[2].TrimStart('/');
            if (parts[1].Length == 0)
                yield return (Below(mount, path), "memory.max");
            else if (parts[1].Split(',').Contains("memory", StringComparer.Ordinal))
                yield return (Below(Path.Combine(mount, "memory"), path), "memory.limit_in_bytes");
        }
    }

    /// <summary>In a container the path is that of the host, while the mount shows the container's group alone.</summary>
    private static string Below(string mount, string path)
    {
        var whole = Path.Combine(mount, path).TrimEnd('/');
        return Directory.Exists(whole) ? whole : mount;
    }

    private static MemoryLimit ReadMachine(string root)
    {
        var path = Path.Combine(root, "proc/meminfo");
        foreach (var line in ReadLines(path))
        {
            if (
                line.StartsWith("MemTotal:", StringComparison.Ordinal)
                && long.TryParse(
                    line.AsSpan("MemTotal:".Length).Trim().TrimEnd("kB").Trim(),
                    NumberStyles.None,
                    CultureInfo.InvariantCulture,
                    out var kilobytes
                )
            )
                return new MemoryLimit(kilobytes * 1024, path);
        }
        return new MemoryLimit(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes, "the runtime");
    }

    private static long? ReadNumber(string path) =>
        ReadLines(path) is [var first, ..] && long.TryParse(first, NumberStyles.None, CultureInfo.InvariantCulture, out var number)
            ? number
            : null;

    /// <summary>Nothing where there is no such file, or no right to read it: the next source is asked.</summary>
    private static string[] ReadLines(string path)
    {
        try
        {
            return File.Exists(path) ? File.ReadAllLines(path) : [];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }
}
