using Jackdaw.Storage.Errors;

namespace Jackdaw.Storage.Disk;

/// <summary>
/// A disk in this process's memory, gone with it: for servers that run in memory and for tests. Writes are copies, syncs do nothing,
/// punched ranges give their memory back. A data file holds at most <see cref="MaxDataFileBytes"/>.
/// </summary>
public sealed class MemoryDisk : IDisk
{
    /// <summary>Address space reserved for a data file; there are 128 TiB to a process.</summary>
    public const long MaxDataFileBytes = 128L << 30;

    private const long MaxOtherFileBytes = 16L << 30;

    private readonly Lock _lock = new();
    private readonly Dictionary<string, MemoryFileContent> _files = new(StringComparer.Ordinal);
    private readonly HashSet<string> _folders = new(StringComparer.Ordinal) { "" };
    private readonly HashSet<string> _locked = new(StringComparer.Ordinal);
    private long _committedBytes;

    /// <summary>Creates an empty disk; the name is shown in errors.</summary>
    public MemoryDisk(string name = "memory") => Description = name;

    /// <inheritdoc />
    public string Description { get; }

    /// <inheritdoc />
    public bool IsDurable => false;

    /// <inheritdoc />
    public int AtomicUnit => AtomicUnitProbe.Small;

    /// <summary>What the machine or container grants this process, less what the files hold.</summary>
    public long FreeBytes => Math.Max(0, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes - Interlocked.Read(ref _committedBytes));

    /// <inheritdoc />
    public IDiskFile Open(string path, DiskFileMode mode, bool create)
    {
        lock (_lock)
        {
            if (!_files.TryGetValue(path, out var content))
            {
                if (!create || !_folders.Contains(FolderOf(path)))
                    throw LinuxErrors.Make(Shown(path), "open", 0, LinuxCalls.ENOENT);
                var reserve = mode == DiskFileMode.Data ? MaxDataFileBytes : MaxOtherFileBytes;
                content = new MemoryFileContent(Shown(path), reserve, bytes => Interlocked.Add(ref _committedBytes, bytes));
                _files.Add(path, content);
            }
            return new MemoryDiskFile(path, Shown(path), mode, content);
        }
    }

    /// <inheritdoc />
    public bool Exists(string path)
    {
        lock (_lock)
            return _files.ContainsKey(path) || _folders.Contains(path);
    }

    /// <inheritdoc />
    public void CreateDirectory(string path)
    {
        lock (_lock)
        {
            if (!_folders.Contains(FolderOf(path)))
                throw LinuxErrors.Make(Shown(path), "mkdir", 0, LinuxCalls.ENOENT);
            _folders.Add(path);
        }
    }

    /// <inheritdoc />
    public IReadOnlyList<string> List(string directory)
    {
        lock (_lock)
        {
            return
            [
                .. _files
                    .Keys.Where(path => FolderOf(path) == directory)
                    .Select(path => directory.Length == 0 ? path : path[(directory.Length + 1)..])
                    .Order(StringComparer.Ordinal),
            ];
        }
    }

    /// <inheritdoc />
    public void Rename(string from, string to)
    {
        lock (_lock)
        {
            if (!_files.TryGetValue(from, out var content) || !_folders.Contains(FolderOf(to)))
                throw LinuxErrors.Make(Shown(from), $"rename to '{to}'", 0, LinuxCalls.ENOENT);
            if (from == to)
                return;
            if (_files.Remove(to, out var replaced))
                replaced.RemoveReference();
            _files.Remove(from);
            _files.Add(to, content);
        }
    }

    /// <inheritdoc />
    public void Delete(string path)
    {
        lock (_lock)
        {
            if (!_files.Remove(path, out var content))
                throw LinuxErrors.Make(Shown(path), "unlink", 0, LinuxCalls.ENOENT);
            content.RemoveReference();
        }
    }

    /// <inheritdoc />
    public void SyncDirectory(string directory)
    {
        lock (_lock)
        {
            if (!_folders.Contains(directory))
                throw LinuxErrors.Make(Shown(directory), "fsync", 0, LinuxCalls.ENOENT);
        }
    }

    /// <inheritdoc />
    public IDisposable Lock(string path)
    {
        lock (_lock)
        {
            if (!_locked.Add(path))
                throw new EnvironmentLockedException(Shown(path), Environment.ProcessId);
            return new Held(this, path);
        }
    }

    /// <inheritdoc />
    public void Dispose()
    {
        lock (_lock)
        {
            foreach (var content in _files.Values)
                content.RemoveReference();
            _files.Clear();
        }
    }

    private string Shown(string path) => path.Length == 0 ? Description : $"{Description}/{path}";

    private static string FolderOf(string path) => path.LastIndexOf('/') is var slash and >= 0 ? path[..slash] : "";

    private sealed class Held(MemoryDisk disk, string path) : IDisposable
    {
        public void Dispose()
        {
            lock (disk._lock)
                disk._locked.Remove(path);
        }
    }
}
