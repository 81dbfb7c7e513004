using System.Diagnostics;

namespace Jackdaw.Acceptance.Processes;

/// <summary>A file system of a few megabytes, in memory, so that a test can fill it. Needs the right to mount, which root has
/// outside of most containers.</summary>
internal sealed class SmallDisk : IDisposable
{
    private const int Block = 64 * 1024;

    private SmallDisk(string path) => Path = path;

    /// <summary>Where it is mounted.</summary>
    public string Path { get; }

    /// <summary>Null when this process may mount; otherwise why it may not.</summary>
    public static string? WhyNot()
    {
        var folder = Directory.CreateTempSubdirectory("jackdaw-mount-").FullName;
        try
        {
            if (Run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder) is { } refusal)
                return $"A small file system cannot be mounted here: {refusal.Trim()}";
            Run("umount", folder);
            return null;
        }
        finally
        {
            Directory.Delete(folder);
        }
    }

    public static SmallDisk Mount(string path, int megabytes)
    {
        Directory.CreateDirectory(path);
        if (Run("mount", "-t", "tmpfs", "-o", $"size={megabytes}m", "tmpfs", path) is { } refusal)
            throw new InvalidOperationException($"mount: {refusal}");
        return new SmallDisk(path);
    }

    /// <summary>Writes a file until it has so many bytes or the disk is full; gives its size.</summary>
    public long Fill(string name, long bytes)
    {
        var zeros = new byte[Block];
        using var file = File.OpenHandle(System.IO.Path.Combine(Path, name), FileMode.Create, FileAccess.Write);
        long written = 0;
        for (; written < bytes; written += Block)
        {
            try
            {
                RandomAccess.Write(file, zeros, written);
            }
            catch (IOException)
            {
                return written;
            }
        }
        return written;
    }

    public void Remove(string name) => File.Delete(System.IO.Path.Combine(Path, name));

    public void Dispose()
    {
        if (Run("umount", Path) is { } refusal)
            throw new InvalidOperationException($"umount {Path}: {refusal}");
    }

    /// <summary>Null when it went well, else what it said.</summary>
    private static string? Run(string program, params string[] arguments)
    {
        try
        {
            using var process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardError = true })!;
            var errors = process.StandardError.ReadToEnd();
            process.WaitForExit();
            return process.ExitCode == 0 ? null : errors;
        }
        catch (System.ComponentModel.Win32Exception e)
        {
            return e.Message;
        }
    }
}
