namespace Jackdaw.Storage.Disk;

/// <summary>Another disk, with every transfer and sync counted and timed by kind. Disposes of the inner disk.</summary>
public sealed class MeteredDisk(IDisk inner) : IDisk
{
    public IoStatistics Statistics { get; } = new();

    public string Description => inner.Description;

    public bool IsDurable => inner.IsDurable;

    public int AtomicUnit => inner.AtomicUnit;

    public long FreeBytes => inner.FreeBytes;

    public IDiskFile Open(string path, DiskFileMode mode, bool create) =>
        new MeteredDiskFile(inner.Open(path, mode, create), mode, Statistics);

    public bool Exists(string path) => inner.Exists(path);

    public void CreateDirectory(string path) => inner.CreateDirectory(path);

    public IReadOnlyList<string> List(string directory) => inner.List(directory);

    public void Rename(string from, string to) => inner.Rename(from, to);

    public void Delete(string path) => inner.Delete(path);

    public void SyncDirectory(string directory)
    {
        using var timer = new IoTimer(Statistics, IoKind.DirectorySync);
        inner.SyncDirectory(directory);
        timer.Succeeded();
    }

    public IDisposable Lock(string path) => inner.Lock(path);

    public void Dispose() => inner.Dispose();
}
