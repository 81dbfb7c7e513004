using System.Runtime.InteropServices;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Storage.Disk;

/// <summary>errno into the engine's typed errors.</summary>
internal static class LinuxErrors
{
    public static int Last() => Marshal.GetLastPInvokeError();

    public static DiskException Make(string path, string operation, long offset, int errno) =>
        errno is LinuxCalls.ENOSPC or LinuxCalls.EDQUOT
            ? new DiskFullException(path, operation, offset, errno)
            : new DiskException(path, operation, offset, errno, Marshal.GetPInvokeErrorMessage(errno));

    /// <summary>The error of the system call that failed last on this thread.</summary>
    public static DiskException MakeLast(string path, string operation, long offset) => Make(path, operation, offset, Last());
}
