using Jackdaw.Storage.Errors;

namespace Jackdaw.Storage.Disk;

/// <summary>
/// A folder of a Linux file system, through system calls. The root folder is made, durably, when it is absent.
/// On a file system without O_DIRECT (some network and memory ones) journal files are opened with O_DSYNC alone.
/// </summary>
public sealed unsafe class LinuxDisk : IDisk
{
    /// <summary>Owner reads and writes (0600, 0700): a database's files are nobody else's.</summary>
    internal const uint FilePermissions = 0x180;
    internal const uint FolderPermissions = 0x1C0;

    private readonly string _root;

    /// <param name="rootFolder">Absolute, or relative to the current folder.</param>
    /// <exception cref="DiskException">The folder cannot be made or looked at.</exception>
    public LinuxDisk(string rootFolder)
    {
        ArgumentException.ThrowIfNullOrEmpty(rootFolder);
        _root = System.IO.Path.TrimEndingDirectorySeparator(System.IO.Path.GetFullPath(rootFolder));
        MakeRoot(_root);
        AtomicUnit = AtomicUnitProbe.Of(_root);
    }

    /// <inheritdoc />
    public string Description => _root;

    /// <inheritdoc />
    public bool IsDurable => true;

    /// <inheritdoc />
    public int AtomicUnit { get; }

    /// <inheritdoc />
    public long FreeBytes
    {
        get
        {
            LinuxCalls.StatVfsResult result;
            if (LinuxCalls.StatVfs(_root, &result) != 0)
                throw LinuxErrors.MakeLast(_root, "statvfs", 0);
            return (long)Math.Min(result.AvailableBlocks * result.FragmentSize, long.MaxValue);
        }
    }

    /// <inheritdoc />
    public IDiskFile Open(string path, DiskFileMode mode, bool create)
    {
        var flags = LinuxCalls.O_RDWR | (create ? LinuxCalls.O_CREAT : 0);
        if (mode == DiskFileMode.Direct)
            flags |= LinuxCalls.O_DIRECT | LinuxCalls.O_DSYNC;
        var fd = FileDescriptor.TryOpen(FullPath(path), flags, FilePermissions, out var errno);
        if (errno == LinuxCalls.EINVAL && mode == DiskFileMode.Direct)
        {
            fd.Dispose();
            fd = FileDescriptor.TryOpen(FullPath(path), flags & ~LinuxCalls.O_DIRECT, FilePermissions, out errno);
        }
        return fd.IsInvalid ? throw LinuxErrors.Make(FullPath(path), "open", 0, errno) : new LinuxDiskFile(fd, path, FullPath(path), mode);
    }

    /// <inheritdoc />
    public bool Exists(string path)
    {
        if (LinuxCalls.Access(FullPath(path), 0) == 0)
            return true;
        var errno = LinuxErrors.Last();
        return errno is LinuxCalls.ENOENT or LinuxCalls.ENOTDIR ? false : throw LinuxErrors.Make(FullPath(path), "access", 0, errno);
    }

    /// <inheritdoc />
    public void CreateDirectory(string path)
    {
        if (LinuxCalls.MkDir(FullPath(path), FolderPermissions) != 0 && LinuxErrors.Last() is var errno and not LinuxCalls.EEXIST)
            throw LinuxErrors.Make(FullPath(path), "mkdir", 0, errno);
    }

    /// <inheritdoc />
    public IReadOnlyList<string> List(string directory)
    {
        var folder = FullPath(directory);
        try
        {
            var names = Directory.GetFiles(folder).Select(file => System.IO.Path.GetFileName(file)).ToArray();
            Array.Sort(names, StringComparer.Ordinal);
            return names;
        }
        catch (DirectoryNotFoundException)
        {
            return [];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The base library tells the reason in words only.
            throw new DiskException(folder, "list", 0, LinuxCalls.EIO, e.Message);
        }
    }

    /// <inheritdoc />
    public void Rename(string from, string to)
    {
        if (LinuxCalls.Rename(FullPath(from), FullPath(to)) != 0)
            throw LinuxErrors.MakeLast(FullPath(from), $"rename to '{to}'", 0);
    }

    /// <inheritdoc />
    public void Delete(string path)
    {
        if (LinuxCalls.Unlink(FullPath(path)) != 0)
            throw LinuxErrors.MakeLast(FullPath(path), "unlink", 0);
    }

    /// <inheritdoc />
    public void SyncDirectory(string directory) => SyncFolder(FullPath(directory));

    /// <inheritdoc />
    public IDisposable Lock(string path) => LinuxFileLock.Take(FullPath(path), path);

    /// <inheritdoc />
    public void Dispose()
    {
        // Nothing is held beyond the files, which their openers dispose of.
    }

    private string FullPath(string path) => path.Length == 0 ? _root : _root + "/" + path;

    private static void SyncFolder(string folder)
    {
        using var fd = FileDescriptor.TryOpen(folder, LinuxCalls.O_RDONLY | LinuxCalls.O_DIRECTORY, 0, out var errno);
        if (fd.IsInvalid)
            throw LinuxErrors.Make(folder, "open", 0, errno);
        if (LinuxCalls.FSync(fd) != 0)
            throw LinuxErrors.MakeLast(folder, "fsync", 0);
    }

    /// <summary>mkdir -p, each new folder's entry made durable before anything is put into it.</summary>
    private static void MakeRoot(string folder)
    {
        if (LinuxCalls.MkDir(folder, FolderPermissions) != 0)
        {
            var errno = LinuxErrors.Last();
            if (errno == LinuxCalls.EEXIST)
                return;
            if (errno != LinuxCalls.ENOENT)
                throw LinuxErrors.Make(folder, "mkdir", 0, errno);
            MakeRoot(System.IO.Path.GetDirectoryName(folder)!);
            if (LinuxCalls.MkDir(folder, FolderPermissions) != 0)
                throw LinuxErrors.MakeLast(folder, "mkdir", 0);
        }
        SyncFolder(System.IO.Path.GetDirectoryName(folder)!);
    }
}
