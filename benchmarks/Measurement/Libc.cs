using System.ComponentModel;
using System.Runtime.InteropServices;

namespace Jackdaw.Bench.Measurement;

/// <summary>The system calls that the peers and measurements need (Linux, 64 bits).</summary>
internal static partial class Libc
{
    public const int ReadWrite = 0x2;
    public const int Create = 0x40;
    public const int DataSync = 0x1000;
    public const int Direct = 0x4000;
    public const int AdviseDontNeed = 4;
    public const int SignalTerminate = 15;
    public const int SignalKill = 9;

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Open(string path, int flags, int mode);

    [LibraryImport("libc", EntryPoint = "close", SetLastError = true)]
    public static partial int Close(int file);

    [LibraryImport("libc", EntryPoint = "pwrite", SetLastError = true)]
    public static unsafe partial nint WriteAt(int file, void* buffer, nint count, long offset);

    [LibraryImport("libc", EntryPoint = "fsync", SetLastError = true)]
    public static partial int SyncFile(int file);

    [LibraryImport("libc", EntryPoint = "syncfs", SetLastError = true)]
    public static partial int SyncFileSystem(int file);

    [LibraryImport("libc", EntryPoint = "posix_fadvise")]
    public static partial int Advise(int file, long offset, long length, int advice);

    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    public static partial int Kill(int process, int signal);

    [LibraryImport("libc", EntryPoint = "geteuid")]
    public static partial int EffectiveUser();

    /// <summary>Opens for reading and writing with the further flags, or throws with the system's message and the path.</summary>
    public static int OpenOrThrow(string path, int flags)
    {
        int file = Open(path, ReadWrite | flags, Convert.ToInt32("644", 8));
        return file >= 0 ? file : throw Error("open " + path);
    }

    public static IOException Error(string what)
    {
        int error = Marshal.GetLastPInvokeError();
        return new IOException($"{what}: {new Win32Exception(error).Message} (errno {error})");
    }
}
