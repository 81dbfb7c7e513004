using Jackdaw.Storage.Disk;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Storage.Tests.Journal;

/// <summary>A file of a <see cref="FaultyDisk"/>.</summary>
internal sealed unsafe class FaultyFile(FaultyDisk disk, IDiskFile file) : IDiskFile
{
    private const int Enospc = 28;
    private const int Eio = 5;

    public string Path => file.Path;

    public string FullPath => file.FullPath;

    public long Length => file.Length;

    public int ReadAt(long offset, byte* buffer, int length) => file.ReadAt(offset, buffer, length);

    public int WriteAt(long offset, byte* buffer, int length)
    {
        if (disk.WritesFail)
            throw new DiskException(Path, "write", offset, Eio, "Input/output error");
        return file.WriteAt(offset, buffer, disk.ShortWrite is { } shorten ? shorten(length) : length);
    }

    public void Sync() => file.Sync();

    public void BeginWriteBack(long offset, long length) => file.BeginWriteBack(offset, length);

    public void WaitForWriteBack(long offset, long length) => file.WaitForWriteBack(offset, length);

    public void Allocate(long offset, long length)
    {
        if (disk.Used + length > disk.Space)
            throw new DiskFullException(Path, "allocate", offset, Enospc);
        file.Allocate(offset, length);
    }

    public void Punch(long offset, long length) => file.Punch(offset, length);

    public bool TryFindHole(long offset, out long holeOffset, out long holeLength) =>
        file.TryFindHole(offset, out holeOffset, out holeLength);

    public byte* Map(long reserveBytes) => file.Map(reserveBytes);

    public void Populate(long offset, long length) => file.Populate(offset, length);

    public void Dispose() => file.Dispose();
}
