using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Documents.Tests;

/// <summary>A disk, in memory unless the test gives one, that fails when the test says so.</summary>
internal sealed class FaultyDisk(IDisk? disk = null) : IDisk
{
    private readonly IDisk _disk = disk ?? new MemoryDisk();

    /// <summary>Journal writes fail.</summary>
    public bool JournalFails { get; set; }

    /// <summary>Journal writes fail when all of their bytes are on the disk.</summary>
    public bool JournalFailsLate { get; set; }

    /// <summary>No journal file can be made; the data file can grow.</summary>
    public bool JournalIsFull { get; set; }

    /// <summary>Called before each write, on its thread, with the mode of its file: it may hold the write up.</summary>
    public Action<DiskFileMode>? BeforeWrite { get; set; }

    /// <summary>Called before each sync of a file, on its thread, with its mode.</summary>
    public Action<DiskFileMode>? BeforeSync { get; set; }

    /// <summary>Called before a file is opened, on its thread, with its mode.</summary>
    public Action<DiskFileMode>? BeforeOpen { get; set; }

    /// <summary>No space can be reserved.</summary>
    public bool IsFull { get; set; }

    public string Description => _disk.Description;

    public bool IsDurable => true;

    public int AtomicUnit => _disk.AtomicUnit;

    public long FreeBytes => _disk.FreeBytes;

    public IDiskFile Open(string path, DiskFileMode mode, bool create)
    {
        BeforeOpen?.Invoke(mode);
        if (create && (IsFull || JournalIsFull) && mode == DiskFileMode.Direct)
            throw new DiskFullException(path, "open", 0, 28);
        return new FaultyFile(this, _disk.Open(path, mode, create), mode);
    }

    public bool Exists(string path) => _disk.Exists(path);

    public void CreateDirectory(string path) => _disk.CreateDirectory(path);

    public IReadOnlyList<string> List(string directory) => _disk.List(directory);

    public void Rename(string from, string to) => _disk.Rename(from, to);

    public void Delete(string path) => _disk.Delete(path);

    public void SyncDirectory(string directory) => _disk.SyncDirectory(directory);

    public IDisposable Lock(string path) => _disk.Lock(path);

    public void Dispose() => _disk.Dispose();

    private sealed unsafe class FaultyFile(FaultyDisk disk, IDiskFile file, DiskFileMode mode) : IDiskFile
    {
        public string Path => file.Path;

        public string FullPath => file.FullPath;

        public long Length => file.Length;

        public int ReadAt(long offset, byte* buffer, int length) => file.ReadAt(offset, buffer, length);

        public int WriteAt(long offset, byte* buffer, int length)
        {
            disk.BeforeWrite?.Invoke(mode);
            if (disk.JournalFails && mode == DiskFileMode.Direct)
                throw new DiskException(Path, "write", offset, 5, "input/output error");
            int written = file.WriteAt(offset, buffer, length);
            if (disk.JournalFailsLate && mode == DiskFileMode.Direct)
                throw new DiskException(Path, "write", offset, 5, "input/output error");
            return written;
        }

        public void Sync()
        {
            disk.BeforeSync?.Invoke(mode);
            file.Sync();
        }

        public void BeginWriteBack(long offset, long length) => file.BeginWriteBack(offset, length);

        public void WaitForWriteBack(long offset, long length) => file.WaitForWriteBack(offset, length);

        public void Allocate(long offset, long length)
        {
            if (disk.IsFull)
                throw new DiskFullException(Path, "allocate", offset, 28);
            file.Allocate(offset, length);
        }

        public void Punch(long offset, long length) => file.Punch(offset, length);

        public bool TryFindHole(long offset, out long holeOffset, out long holeLength) =>
            file.TryFindHole(offset, out holeOffset, out holeLength);

        public byte* Map(long reserveBytes) => file.Map(reserveBytes);

        public void Populate(long offset, long length) => file.Populate(offset, length);

        public void Dispose() => file.Dispose();
    }
}
