namespace Jackdaw.Storage.Disk;

/// <summary>Another disk, with every transfer and sync counted and timed by kind. Disposes of the inner disk.</summary>
public sealed class MeteredDisk(IDisk inner) : IDisk
{
    /// <summary>What was counted so far.</summary>
    public IoStatistics Statistics { get; } = new();

    /// <inheritdoc />
    public string Description => inner.Description;

    /// <inheritdoc />
    public bool IsDurable => inner.IsDurable;

    /// <inheritdoc />
    public int AtomicUnit => inner.AtomicUnit;

    /// <inheritdoc />
    public long FreeBytes => inner.FreeBytes;

    /// <inheritdoc />
    public IDiskFile Open(string path, DiskFileMode mode, bool create) =>
        new MeteredDiskFile(inner.Open(path, mode, create), mode, Statistics);

    /// <inheritdoc />
    public bool Exists(string path) => inner.Exists(path);

    /// <inheritdoc />
    public void CreateDirectory(string path) => inner.CreateDirectory(path);

    /// <inheritdoc />
    public IReadOnlyList<string> List(string directory) => inner.List(directory);

    /// <inheritdoc />
    public void Rename(string from, string to) => inner.Rename(from, to);

    /// <inheritdoc />
    public void Delete(string path) => inner.Delete(path);

    /// <inheritdoc />
    public void SyncDirectory(string directory)
    {
        using var timer = new IoTimer(Statistics, IoKind.DirectorySync);
        inner.SyncDirectory(directory);
        timer.Succeeded();
    }

    /// <inheritdoc />
    public IDisposable Lock(string path) => inner.Lock(path);

    /// <inheritdoc />
    public void Dispose() => inner.Dispose();
}
