using System.Runtime.InteropServices;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Storage.Disk;

/// <summary>An open file of a <see cref="LinuxDisk"/>: one system call a method, EINTR retried.</summary>
internal sealed unsafe class LinuxDiskFile : IDiskFile
{
    private const int ZeroChunk = 1 << 20;

    private readonly FileDescriptor _fd;
    private readonly DiskFileMode _mode;
    private volatile byte* _map;
    private long _mapLength;
    private List<(nint Address, long Length)>? _formerMaps;
    private long _knownLength;

    public LinuxDiskFile(FileDescriptor fd, string path, string fullPath, DiskFileMode mode)
    {
        _fd = fd;
        _mode = mode;
        Path = path;
        FullPath = fullPath;
        _knownLength = AskLength();
    }

    public string Path { get; }

    public string FullPath { get; }

    /// <summary>
    /// A data file only grows, and through this handle only, so its length is remembered: it is asked before every access to the mapping.
    /// </summary>
    public long Length => _mode == DiskFileMode.Data ? Volatile.Read(ref _knownLength) : AskLength();

    public int ReadAt(long offset, byte* buffer, int length)
    {
        Invariant.Require(offset >= 0 && length >= 0);
        var total = 0;
        while (total < length)
        {
            var read = LinuxCalls.PRead(_fd, buffer + total, Math.Min(length - total, LinuxCalls.MaxTransfer), offset + total);
            if (read < 0)
            {
                if (!MayRetry(out var errno))
                    throw LinuxErrors.Make(FullPath, "read", offset + total, errno);
                continue;
            }
            if (read == 0)
                break;
            total += (int)read;
            // A direct read that ends off a block has met the end of the file, and would be refused if it were resumed.
            if (_mode == DiskFileMode.Direct && read % AtomicUnitProbe.Small != 0)
                break;
        }
        return total;
    }

    public int WriteAt(long offset, byte* buffer, int length)
    {
        Invariant.Require(offset >= 0 && length >= 0);
        while (true)
        {
            var written = LinuxCalls.PWrite(_fd, buffer, Math.Min(length, LinuxCalls.MaxTransfer), offset);
            if (written >= 0)
            {
                NoteLength(offset + written);
                return (int)written;
            }
            if (!MayRetry(out var errno))
                throw LinuxErrors.Make(FullPath, "write", offset, errno);
        }
    }

    public void Sync()
    {
        while (LinuxCalls.FDataSync(_fd) != 0)
        {
            if (!MayRetry(out var errno))
                throw LinuxErrors.Make(FullPath, "fdatasync", 0, errno);
        }
    }

    public void BeginWriteBack(long offset, long length) => SyncRange(offset, length, LinuxCalls.SYNC_FILE_RANGE_WRITE);

    public void WaitForWriteBack(long offset, long length) =>
        SyncRange(
            offset,
            length,
            LinuxCalls.SYNC_FILE_RANGE_WAIT_BEFORE | LinuxCalls.SYNC_FILE_RANGE_WRITE | LinuxCalls.SYNC_FILE_RANGE_WAIT_AFTER
        );

    public void Allocate(long offset, long length)
    {
        Invariant.Require(offset >= 0 && length > 0);
        while (LinuxCalls.FAllocate(_fd, 0, offset, length) != 0)
        {
            if (MayRetry(out var errno))
                continue;
            if (errno != LinuxCalls.EOPNOTSUPP)
                throw LinuxErrors.Make(FullPath, "fallocate", offset, errno);
            AllocateByWriting(offset, length);
            break;
        }
        NoteLength(offset + length);
    }

    public void Punch(long offset, long length)
    {
        Invariant.Require(offset >= 0 && length > 0 && offset + length <= Length);
        while (LinuxCalls.FAllocate(_fd, LinuxCalls.FALLOC_FL_PUNCH_HOLE | LinuxCalls.FALLOC_FL_KEEP_SIZE, offset, length) != 0)
        {
            if (MayRetry(out var errno))
                continue;
            if (errno != LinuxCalls.EOPNOTSUPP)
                throw LinuxErrors.Make(FullPath, "punch", offset, errno);
            WriteZeros(offset, length);
            break;
        }
    }

    public bool TryFindHole(long offset, out long holeOffset, out long holeLength)
    {
        (holeOffset, holeLength) = (0, 0);
        var end = AskLength();
        if (offset >= end)
            return false;
        holeOffset = LinuxCalls.LSeek(_fd, offset, LinuxCalls.SEEK_HOLE);
        if (holeOffset < 0)
            throw LinuxErrors.MakeLast(FullPath, "seek to hole", offset);
        // Every file has an implicit hole at its end.
        if (holeOffset >= end)
            return false;
        var dataOffset = LinuxCalls.LSeek(_fd, holeOffset, LinuxCalls.SEEK_DATA);
        if (dataOffset < 0)
        {
            var errno = LinuxErrors.Last();
            dataOffset = errno == LinuxCalls.ENXIO ? end : throw LinuxErrors.Make(FullPath, "seek to data", holeOffset, errno);
        }
        holeLength = dataOffset - holeOffset;
        return true;
    }

    public byte* Map(long reserveBytes)
    {
        Invariant.Require(_mode == DiskFileMode.Data && reserveBytes >= Length && reserveBytes > _mapLength);
        var address = LinuxCalls.MMap(
            0,
            (nint)reserveBytes,
            LinuxCalls.PROT_READ,
            LinuxCalls.MAP_SHARED | LinuxCalls.MAP_NORESERVE,
            _fd,
            0
        );
        if (address == LinuxCalls.MAP_FAILED)
            throw LinuxErrors.MakeLast(FullPath, "mmap", 0);
        if (_map != null)
            (_formerMaps ??= []).Add(((nint)_map, _mapLength));
        // In this order: a longer length with the former address would lead beyond it.
        _map = (byte*)address;
        Volatile.Write(ref _mapLength, reserveBytes);
        return (byte*)address;
    }

    public void Populate(long offset, long length)
    {
        Invariant.Require(_map != null && offset >= 0 && length >= 0 && offset + length <= Math.Min(Length, Volatile.Read(ref _mapLength)));
        // Asked for beforehand, just these bytes are read: a page fault that finds nothing reads as much around it as the
        // device's read-ahead says, up to
        // megabytes for one page, and the journal's writes wait behind that.
        BeginRead(offset, length);
        var start = offset & ~(Environment.SystemPageSize - 1L);
        while (length > 0 && LinuxCalls.MAdvise((nint)(_map + start), (nint)(offset + length - start), LinuxCalls.MADV_POPULATE_READ) != 0)
        {
            if (MayRetry(out var errno))
                continue;
            // A kernel before 5.14 does not know the advice. Any other failure (EFAULT for an unreadable sector) is the medium's.
            if (errno != LinuxCalls.EINVAL)
                throw LinuxErrors.Make(FullPath, "populate", offset, errno);
            PopulateByReading(offset, length);
            break;
        }
    }

    public void BeginRead(long offset, long length)
    {
        Invariant.Require(_map != null && offset >= 0 && length >= 0 && offset + length <= Math.Min(Length, Volatile.Read(ref _mapLength)));
        var start = offset & ~(Environment.SystemPageSize - 1L);
        if (length > 0)
            _ = LinuxCalls.MAdvise((nint)(_map + start), (nint)(offset + length - start), LinuxCalls.MADV_WILLNEED);
    }

    public bool TryTellResident(long offset, long length, Span<byte> residency)
    {
        var pageSize = Environment.SystemPageSize;
        Invariant.Require(
            _map != null && offset >= 0 && offset % pageSize == 0 && offset + length <= Math.Min(Length, Volatile.Read(ref _mapLength))
        );
        Invariant.Require(residency.Length >= (length + pageSize - 1) / pageSize);
        fixed (byte* target = residency)
            return LinuxCalls.MinCore((nint)(_map + offset), (nint)length, target) == 0;
    }

    public void Dispose()
    {
        if (_map != null)
        {
            Invariant.Require(LinuxCalls.MUnmap((nint)_map, (nint)_mapLength) == 0);
            _map = null;
        }
        foreach (var (address, length) in _formerMaps ?? [])
            Invariant.Require(LinuxCalls.MUnmap(address, (nint)length) == 0);
        _formerMaps = null;
        _fd.Dispose();
    }

    private static bool MayRetry(out int errno)
    {
        errno = LinuxErrors.Last();
        return errno == LinuxCalls.EINTR;
    }

    private long AskLength()
    {
        var length = LinuxCalls.LSeek(_fd, 0, LinuxCalls.SEEK_END);
        return length >= 0 ? length : throw LinuxErrors.MakeLast(FullPath, "seek to end", 0);
    }

    private void NoteLength(long atLeast)
    {
        long known;
        while (atLeast > (known = Volatile.Read(ref _knownLength)))
            Interlocked.CompareExchange(ref _knownLength, atLeast, known);
    }

    private void SyncRange(long offset, long length, uint flags)
    {
        Invariant.Require(offset >= 0 && length >= 0);
        // A length of 0 means "to the end of the file" to the kernel, and nothing here.
        while (length > 0 && LinuxCalls.SyncFileRange(_fd, offset, length, flags) != 0)
        {
            if (MayRetry(out var errno))
                continue;
            // Only pacing is lost where the kernel lacks the call; an I/O error must be heard, for it is told only once.
            if (errno == LinuxCalls.ENOSYS)
                return;
            throw LinuxErrors.Make(FullPath, "sync_file_range", offset, errno);
        }
    }

    /// <summary>For file systems without fallocate: what lies past the end, and holes before it, are written with zeros.</summary>
    private void AllocateByWriting(long offset, long length)
    {
        var end = offset + length;
        var oldEnd = AskLength();
        var position = offset;
        while (position < Math.Min(end, oldEnd) && TryFindHole(position, out var hole, out var holeLength) && hole < end)
        {
            WriteZeros(hole, Math.Min(holeLength, end - hole));
            position = hole + holeLength;
        }
        if (end > oldEnd)
            WriteZeros(Math.Max(offset, oldEnd), end - Math.Max(offset, oldEnd));
    }

    private void WriteZeros(long offset, long length)
    {
        var zeros = (byte*)NativeMemory.AlignedAlloc(ZeroChunk, AtomicUnitProbe.Large);
        try
        {
            NativeMemory.Clear(zeros, ZeroChunk);
            for (var done = 0L; done < length; )
            {
                var chunk = (int)Math.Min(ZeroChunk, length - done);
                FullWrite.Write(this, offset + done, zeros, chunk, _mode == DiskFileMode.Direct ? AtomicUnitProbe.Small : 1);
                done += chunk;
            }
        }
        finally
        {
            NativeMemory.AlignedFree(zeros);
        }
    }

    private void PopulateByReading(long offset, long length)
    {
        const int Chunk = 256 * 1024;
        var buffer = (byte*)NativeMemory.Alloc(Chunk);
        try
        {
            for (var done = 0L; done < length; done += Chunk)
                ReadAt(offset + done, buffer, (int)Math.Min(Chunk, length - done));
        }
        finally
        {
            NativeMemory.Free(buffer);
        }
    }
}
