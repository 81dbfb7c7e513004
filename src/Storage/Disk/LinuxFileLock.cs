using System.Globalization;
using System.Text;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Storage.Disk;

/// <summary>
/// An exclusive flock on a file, held until disposed or the process ends, however it ends; the file holds the process id in decimal.
/// The lock belongs to the open file, so a second attempt within the same process is refused as well.
/// </summary>
internal sealed unsafe class LinuxFileLock : IDisposable
{
    private const int MaxPidLength = 20;
    private readonly FileDescriptor _fd;

    private LinuxFileLock(FileDescriptor fd) => _fd = fd;

    public static LinuxFileLock Take(string fullPath, string path)
    {
        var fd = FileDescriptor.TryOpen(fullPath, LinuxCalls.O_RDWR | LinuxCalls.O_CREAT, LinuxDisk.FilePermissions, out var errno);
        if (fd.IsInvalid)
            throw LinuxErrors.Make(path, "open", 0, errno);
        try
        {
            if (LinuxCalls.FLock(fd, LinuxCalls.LOCK_EX | LinuxCalls.LOCK_NB) != 0)
            {
                errno = LinuxErrors.Last();
                throw errno == LinuxCalls.EAGAIN
                    ? new EnvironmentLockedException(fullPath, ReadHolder(fd))
                    : LinuxErrors.Make(path, "flock", 0, errno);
            }
            WriteHolder(fd, path);
            return new LinuxFileLock(fd);
        }
        catch
        {
            fd.Dispose();
            throw;
        }
    }

    public void Dispose() => _fd.Dispose();

    private static int? ReadHolder(FileDescriptor fd)
    {
        Span<byte> text = stackalloc byte[MaxPidLength];
        fixed (byte* buffer = text)
        {
            var read = LinuxCalls.PRead(fd, buffer, MaxPidLength, 0);
            return read > 0 && int.TryParse(text[..(int)read].Trim("\0\n "u8), NumberStyles.None, CultureInfo.InvariantCulture, out var pid) ? pid : null;
        }
    }

    private static void WriteHolder(FileDescriptor fd, string path)
    {
        var text = Encoding.ASCII.GetBytes(Environment.ProcessId.ToString(CultureInfo.InvariantCulture) + "\n");
        if (LinuxCalls.FTruncate(fd, 0) != 0)
            throw LinuxErrors.MakeLast(path, "ftruncate", 0);
        fixed (byte* buffer = text)
        {
            if (LinuxCalls.PWrite(fd, buffer, text.Length, 0) != text.Length)
                throw LinuxErrors.MakeLast(path, "pwrite", 0);
        }
    }
}
