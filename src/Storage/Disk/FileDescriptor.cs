using Microsoft.Win32.SafeHandles;

namespace Jackdaw.Storage.Disk;

/// <summary>An open file descriptor, closed exactly once.</summary>
internal sealed class FileDescriptor : SafeHandleMinusOneIsInvalid
{
    public FileDescriptor(int fd)
        : base(ownsHandle: true) => SetHandle(fd);

    /// <summary>Opens a file (EINTR retried), or returns an invalid descriptor and the errno.</summary>
    public static FileDescriptor TryOpen(string path, int flags, uint mode, out int errno)
    {
        while (true)
        {
            var fd = LinuxCalls.Open(path, flags | LinuxCalls.O_CLOEXEC, mode);
            errno = fd >= 0 ? 0 : LinuxErrors.Last();
            if (errno != LinuxCalls.EINTR)
                return new FileDescriptor(fd);
        }
    }

    // close is never retried: on Linux the descriptor is gone even after EINTR. Writes that matter have been synced, which
    // reports their errors.
    protected override bool ReleaseHandle() => LinuxCalls.Close(handle) == 0;
}
