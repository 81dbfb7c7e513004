using System.Globalization;
using System.Text;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Storage.Disk;

/// <summary>
/// An exclusive lock on a file, held until disposed or the process ends, however it ends; the file holds the process id in decimal.
/// It is an "open file description" lock (fcntl(2)), so a second attempt within the same process is refused as well.
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
            var request = new LinuxCalls.FLock { Type = LinuxCalls.F_WRLCK };
            if (LinuxCalls.FCntl(fd, LinuxCalls.F_OFD_SETLK, &request) != 0)
            {
                errno = LinuxErrors.Last();
                throw errno is LinuxCalls.EAGAIN or LinuxCalls.EACCES
                    ? new EnvironmentLockedException(fullPath, ReadHolder(fd))
                    : LinuxErrors.Make(path, "lock", 0, errno);
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
            return read > 0 && int.TryParse(text[..(int)read].Trim("\0\n "u8), NumberStyles.None, CultureInfo.InvariantCulture, out var pid)
                ? pid
                : null;
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
