using System.Runtime.InteropServices;

namespace Jackdaw.Storage.Disk;

/// <summary>
/// The system calls that <see cref="LinuxDisk"/> makes, for 64-bit Linux. Each constant names the kernel header it comes from.
/// Variadic functions (open, fcntl) are declared with fixed arguments: on x86-64 and arm64 Linux integers are passed the same way.
/// </summary>
internal static unsafe partial class LinuxCalls
{
    private const string LibC = "libc";

    // asm-generic/fcntl.h, equal on x86-64 and arm64.
    public const int O_RDONLY = 0;
    public const int O_RDWR = 2;
    public const int O_CREAT = 0x40;
    public const int O_DSYNC = 0x1000;
    public const int O_CLOEXEC = 0x80000;

    // arch/arm64/include/uapi/asm/fcntl.h exchanges these two.
    public static readonly int O_DIRECT = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 0x10000 : 0x4000;
    public static readonly int O_DIRECTORY = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 0x4000 : 0x10000;

    // asm-generic/fcntl.h: __O_TMPFILE | O_DIRECTORY.
    public static readonly int O_TMPFILE = 0x400000 | O_DIRECTORY;

    // asm-generic/errno-base.h and errno.h.
    public const int ENOENT = 2;
    public const int EINTR = 4;
    public const int EIO = 5;
    public const int ENXIO = 6;
    public const int EAGAIN = 11;
    public const int EACCES = 13;
    public const int EEXIST = 17;
    public const int ENOTDIR = 20;
    public const int EINVAL = 22;
    public const int ENOSPC = 28;
    public const int ENOSYS = 38;
    public const int EOPNOTSUPP = 95;
    public const int EDQUOT = 122;

    // uapi/linux/fs.h.
    public const int SEEK_END = 2;
    public const int SEEK_DATA = 3;
    public const int SEEK_HOLE = 4;
    public const uint SYNC_FILE_RANGE_WAIT_BEFORE = 1;
    public const uint SYNC_FILE_RANGE_WRITE = 2;
    public const uint SYNC_FILE_RANGE_WAIT_AFTER = 4;

    // uapi/linux/falloc.h.
    public const int FALLOC_FL_KEEP_SIZE = 1;
    public const int FALLOC_FL_PUNCH_HOLE = 2;

    // asm-generic/mman-common.h and mman.h.
    public const int PROT_NONE = 0;
    public const int PROT_READ = 1;
    public const int PROT_WRITE = 2;
    public const int MAP_SHARED = 0x01;
    public const int MAP_PRIVATE = 0x02;
    public const int MAP_ANONYMOUS = 0x20;
    public const int MAP_NORESERVE = 0x4000;
    public const int MADV_WILLNEED = 3;
    public const int MADV_DONTNEED = 4;
    public const int MADV_POPULATE_READ = 22; // since Linux 5.14
    public const int MADV_POPULATE_WRITE = 23; // since Linux 5.14
    public const int MREMAP_MAYMOVE = 1;
    public const nint MAP_FAILED = -1;

    // uapi/linux/fcntl.h, asm-generic/fcntl.h, uapi/linux/stat.h.
    public const int AT_FDCWD = -100;
    public const int F_OFD_SETLK = 37;
    public const short F_WRLCK = 1;
    public const uint STATX_BASIC_STATS = 0x7ff;

    /// <summary>The most that one read or write transfers (MAX_RW_COUNT in linux/fs.h for 4 KB pages).</summary>
    public const int MaxTransfer = 0x7ffff000;

    [LibraryImport(LibC, EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Open(string path, int flags, uint mode);

    [LibraryImport(LibC, EntryPoint = "close", SetLastError = true)]
    public static partial int Close(nint fd);

    [LibraryImport(LibC, EntryPoint = "pread", SetLastError = true)]
    public static partial nint PRead(FileDescriptor fd, byte* buffer, nint length, long offset);

    [LibraryImport(LibC, EntryPoint = "pwrite", SetLastError = true)]
    public static partial nint PWrite(FileDescriptor fd, byte* buffer, nint length, long offset);

    [LibraryImport(LibC, EntryPoint = "fdatasync", SetLastError = true)]
    public static partial int FDataSync(FileDescriptor fd);

    [LibraryImport(LibC, EntryPoint = "fsync", SetLastError = true)]
    public static partial int FSync(FileDescriptor fd);

    [LibraryImport(LibC, EntryPoint = "sync_file_range", SetLastError = true)]
    public static partial int SyncFileRange(FileDescriptor fd, long offset, long length, uint flags);

    [LibraryImport(LibC, EntryPoint = "fallocate", SetLastError = true)]
    public static partial int FAllocate(FileDescriptor fd, int mode, long offset, long length);

    [LibraryImport(LibC, EntryPoint = "ftruncate", SetLastError = true)]
    public static partial int FTruncate(FileDescriptor fd, long length);

    [LibraryImport(LibC, EntryPoint = "lseek", SetLastError = true)]
    public static partial long LSeek(FileDescriptor fd, long offset, int whence);

    [LibraryImport(LibC, EntryPoint = "fcntl", SetLastError = true)]
    public static partial int FCntl(FileDescriptor fd, int command, FLock* argument);

    [LibraryImport(LibC, EntryPoint = "mmap", SetLastError = true)]
    public static partial nint MMap(nint address, nint length, int protection, int flags, FileDescriptor fd, long offset);

    [LibraryImport(LibC, EntryPoint = "mmap", SetLastError = true)]
    public static partial nint MMapAnonymous(nint address, nint length, int protection, int flags, int fd, long offset);

    [LibraryImport(LibC, EntryPoint = "munmap", SetLastError = true)]
    public static partial int MUnmap(nint address, nint length);

    [LibraryImport(LibC, EntryPoint = "mremap", SetLastError = true)]
    public static partial nint MRemap(nint address, nint length, nint newLength, int flags);

    [LibraryImport(LibC, EntryPoint = "mprotect", SetLastError = true)]
    public static partial int MProtect(nint address, nint length, int protection);

    [LibraryImport(LibC, EntryPoint = "madvise", SetLastError = true)]
    public static partial int MAdvise(nint address, nint length, int advice);

    [LibraryImport(LibC, EntryPoint = "mincore", SetLastError = true)]
    public static partial int MinCore(nint address, nint length, byte* residency);

    [LibraryImport(LibC, EntryPoint = "access", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Access(string path, int mode);

    [LibraryImport(LibC, EntryPoint = "mkdir", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int MkDir(string path, uint mode);

    [LibraryImport(LibC, EntryPoint = "rename", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Rename(string from, string to);

    [LibraryImport(LibC, EntryPoint = "unlink", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Unlink(string path);

    [LibraryImport(LibC, EntryPoint = "statvfs", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int StatVfs(string path, StatVfsResult* result);

    [LibraryImport(LibC, EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int StatX(int directory, string path, int flags, uint mask, StatXResult* result);

    /// <summary>struct statvfs of glibc and musl on 64-bit (sys/statvfs.h); only what is used is named.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    public struct StatVfsResult
    {
        [FieldOffset(8)]
        public ulong FragmentSize;

        /// <summary>Blocks free to this process (without the superuser's reserve).</summary>
        [FieldOffset(32)]
        public ulong AvailableBlocks;
    }

    /// <summary>struct flock (asm-generic/fcntl.h). All zeros but the type: the whole file.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 32)]
    public struct FLock
    {
        [FieldOffset(0)]
        public short Type;
    }

    /// <summary>struct statx (uapi/linux/stat.h), the same on every architecture; only what is used is named.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    public struct StatXResult
    {
        [FieldOffset(136)]
        public uint DeviceMajor;

        [FieldOffset(140)]
        public uint DeviceMinor;
    }
}
