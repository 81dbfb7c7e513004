using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;

namespace Jackdaw.Bench.Frame;

/// <summary>What the figures were measured on. Load: runnable threads in the minute before, as the kernel averages them.</summary>
internal sealed record MachineDescription(
    string Processor,
    int Cores,
    string Memory,
    string Kernel,
    string Disk,
    string Runtime,
    string Commit,
    string Date,
    double Load
)
{
    public static MachineDescription Of(string directory) =>
        new(
            FirstValue("/proc/cpuinfo", "model name") ?? RuntimeInformation.ProcessArchitecture.ToString(),
            Environment.ProcessorCount,
            string.Create(CultureInfo.InvariantCulture, $"{GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 1e9:0.0} GB"),
            File.ReadAllText("/proc/sys/kernel/osrelease").Trim(),
            DescribeDisk(directory),
            RuntimeInformation.FrameworkDescription,
            DescribeCommit(),
            DateTime.UtcNow.ToString("yyyy-MM-dd HH:mm 'UTC'", CultureInfo.InvariantCulture),
            double.Parse(File.ReadAllText("/proc/loadavg").Split(' ')[0], CultureInfo.InvariantCulture)
        );

    /// <summary>Whether other programs took a good part of the processors in the minute before.</summary>
    public bool IsBusy => Load > 0.5 * Cores;

    private static string? FirstValue(string file, string key) =>
        File.ReadLines(file)
            .Where(l => l.StartsWith(key, StringComparison.Ordinal) && l.Contains(':', StringComparison.Ordinal))
            .Select(l => l[(l.IndexOf(':', StringComparison.Ordinal) + 1)..].Trim())
            .FirstOrDefault();

    private static string DescribeDisk(string directory)
    {
        string[] mount = MountOf(Path.GetFullPath(directory));
        string queue = $"/sys/block/{Path.GetFileName(mount[0])}/queue";
        string kind = System.IO.Directory.Exists(queue)
            ? $", blocks of {Read("logical_block_size")}/{Read("physical_block_size")} B, write cache: {Read("write_cache")}"
            : "";
        return $"{mount[0]}, {mount[2]}, {new DriveInfo(directory).AvailableFreeSpace / 1e9:0} GB free{kind}";

        string Read(string name) => File.ReadAllText(Path.Combine(queue, name)).Trim();
    }

    // Device, mount point, file system, ... of the deepest mount that holds the folder.
    private static string[] MountOf(string directory) =>
        File.ReadLines("/proc/self/mounts")
            .Select(l => l.Split(' '))
            .Where(f => (directory + "/").StartsWith(f[1].TrimEnd('/') + "/", StringComparison.Ordinal))
            .OrderBy(f => f[1].Length)
            .Last();

    private static string DescribeCommit()
    {
        string? head = Git("rev-parse --short=12 HEAD");
        if (head is null)
            return "unknown";
        return Git("status --porcelain --untracked-files=no") is { Length: > 0 } ? head + " with changes" : head;
    }

    private static string? Git(string arguments)
    {
        try
        {
            using Process git = Process.Start(
                new ProcessStartInfo("git", arguments)
                {
                    RedirectStandardOutput = true,
                    RedirectStandardError = true,
                    WorkingDirectory = Repository.Root,
                }
            )!;
            string output = git.StandardOutput.ReadToEnd().Trim();
            git.WaitForExit();
            return git.ExitCode == 0 ? output : null;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return null; // no git on this machine
        }
    }
}
