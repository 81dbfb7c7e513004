using Jackdaw.Storage.Disk;

namespace Jackdaw.Storage.Tests.Journal;

/// <summary>A memory disk of limited size whose writes may be short or fail, as a test says.</summary>
internal sealed class FaultyDisk : IDisk
{
    private readonly MemoryDisk _disk = new();

    /// <summary>Bytes that files may have in all.</summary>
    public long Space { get; set; } = long.MaxValue;

    /// <summary>Given a write's length: how much of it is taken.</summary>
    public Func<int, int>? ShortWrite { get; set; }

    /// <summary>Whether the next writes fail with EIO.</summary>
    public bool WritesFail { get; set; }

    /// <summary>Called with the path before a file is opened.</summary>
    public Action<string>? Opening { get; set; }

    public string Description => _disk.Description;

    public bool IsDurable => true;

    public int AtomicUnit => _disk.AtomicUnit;

    public long FreeBytes => Space - Used;

    public long Used =>
        _disk
            .List("journal")
            .Sum(name =>
            {
                using var file = _disk.Open($"journal/{name}", DiskFileMode.Direct, create: false);
                return file.Length;
            });

    public IDiskFile Open(string path, DiskFileMode mode, bool create)
    {
        Opening?.Invoke(path);
        return new FaultyFile(this, _disk.Open(path, mode, create));
    }

    public bool Exists(string path) => _disk.Exists(path);

    public void CreateDirectory(string path) => _disk.CreateDirectory(path);

    public IReadOnlyList<string> List(string directory) => _disk.List(directory);

    public void Rename(string from, string to) => _disk.Rename(from, to);

    public void Delete(string path) => _disk.Delete(path);

    public void SyncDirectory(string directory) => _disk.SyncDirectory(directory);

    public IDisposable Lock(string path) => _disk.Lock(path);

    public void Dispose() => _disk.Dispose();
}
