namespace Jackdaw.Storage.Disk;

/// <summary>An open file of a <see cref="MeteredDisk"/>.</summary>
internal sealed unsafe class MeteredDiskFile : IDiskFile
{
    private readonly IDiskFile _inner;
    private readonly IoStatistics _statistics;
    private readonly (IoKind Read, IoKind Write, IoKind Sync) _kinds;

    public MeteredDiskFile(IDiskFile inner, DiskFileMode mode, IoStatistics statistics)
    {
        _inner = inner;
        _statistics = statistics;
        _kinds = mode switch
        {
            DiskFileMode.Direct => (IoKind.JournalRead, IoKind.JournalWrite, IoKind.OtherSync),
            DiskFileMode.Data => (IoKind.DataRead, IoKind.DataWrite, IoKind.DataSync),
            _ when inner.Path.StartsWith("header.", StringComparison.Ordinal) => (IoKind.OtherRead, IoKind.HeaderWrite, IoKind.HeaderSync),
            _ => (IoKind.OtherRead, IoKind.OtherWrite, IoKind.OtherSync),
        };
    }

    public string Path => _inner.Path;

    public string FullPath => _inner.FullPath;

    public long Length => _inner.Length;

    public int ReadAt(long offset, byte* buffer, int length)
    {
        using var timer = new IoTimer(_statistics, _kinds.Read);
        var read = _inner.ReadAt(offset, buffer, length);
        timer.Succeeded(read);
        return read;
    }

    public int WriteAt(long offset, byte* buffer, int length)
    {
        using var timer = new IoTimer(_statistics, _kinds.Write);
        var written = _inner.WriteAt(offset, buffer, length);
        timer.Succeeded(written);
        return written;
    }

    public void Sync()
    {
        using var timer = new IoTimer(_statistics, _kinds.Sync);
        _inner.Sync();
        timer.Succeeded();
    }

    public void BeginWriteBack(long offset, long length)
    {
        using var timer = new IoTimer(_statistics, IoKind.WriteBack);
        _inner.BeginWriteBack(offset, length);
        // The bytes are counted where they are waited for.
        timer.Succeeded();
    }

    public void WaitForWriteBack(long offset, long length)
    {
        using var timer = new IoTimer(_statistics, IoKind.WriteBack);
        _inner.WaitForWriteBack(offset, length);
        timer.Succeeded(length);
    }

    public void Allocate(long offset, long length)
    {
        using var timer = new IoTimer(_statistics, IoKind.Allocate);
        _inner.Allocate(offset, length);
        timer.Succeeded(length);
    }

    public void Punch(long offset, long length)
    {
        using var timer = new IoTimer(_statistics, IoKind.Punch);
        _inner.Punch(offset, length);
        timer.Succeeded(length);
    }

    public bool TryFindHole(long offset, out long holeOffset, out long holeLength) =>
        _inner.TryFindHole(offset, out holeOffset, out holeLength);

    public byte* Map(long reserveBytes) => _inner.Map(reserveBytes);

    public void Populate(long offset, long length)
    {
        using var timer = new IoTimer(_statistics, IoKind.DataPopulate);
        _inner.Populate(offset, length);
        timer.Succeeded(length);
    }

    public void BeginRead(long offset, long length) => _inner.BeginRead(offset, length);

    public bool TryTellResident(long offset, long length, Span<byte> residency) => _inner.TryTellResident(offset, length, residency);

    public void Dispose() => _inner.Dispose();
}
