using System.Runtime.InteropServices;
using Jackdaw.Storage.Errors;

namespace Jackdaw.Storage.Disk;

/// <summary>
/// The bytes of a file of a <see cref="MemoryDisk"/>: address space reserved without access at birth and opened as the file
/// grows, so that its
/// place never changes. Freed when its name and its last handle are gone.
/// </summary>
internal sealed unsafe class MemoryFileContent
{
    private const long GrowthStep = 1 << 20;
    private const long MaxGrowthAhead = 64 << 20;

    private readonly Lock _lock = new();
    private readonly HoleSet _holes = new();
    private readonly string _path;
    private readonly long _reserved;
    private readonly Action<long> _committedChanged;
    private long _accessible;
    private long _length;
    private int _references = 1;

    public MemoryFileContent(string path, long reserveBytes, Action<long> committedChanged)
    {
        _path = path;
        _reserved = reserveBytes;
        _committedChanged = committedChanged;
        // Without access it costs no memory and is not counted as committed, whatever the overcommit policy.
        var address = LinuxCalls.MMapAnonymous(
            0,
            (nint)reserveBytes,
            LinuxCalls.PROT_NONE,
            LinuxCalls.MAP_PRIVATE | LinuxCalls.MAP_ANONYMOUS | LinuxCalls.MAP_NORESERVE,
            -1,
            0
        );
        if (address == LinuxCalls.MAP_FAILED)
            throw LinuxErrors.MakeLast(path, "mmap", 0);
        Start = (byte*)address;
    }

    public byte* Start { get; private set; }

    public long Length => Volatile.Read(ref _length);

    public void AddReference() => Invariant.Require(Interlocked.Increment(ref _references) > 1);

    public void RemoveReference()
    {
        var left = Interlocked.Decrement(ref _references);
        Invariant.Require(left >= 0);
        if (left > 0)
            return;
        Invariant.Require(LinuxCalls.MUnmap((nint)Start, (nint)_reserved) == 0);
        _committedChanged(-_accessible);
        Start = null;
    }

    public int Read(long offset, byte* buffer, int length)
    {
        var count = (int)Math.Clamp(Length - offset, 0, length);
        NativeMemory.Copy(Start + offset, buffer, (nuint)count);
        return count;
    }

    public void Write(long offset, byte* buffer, int length)
    {
        Allocate(offset, length);
        NativeMemory.Copy(buffer, Start + offset, (nuint)length);
    }

    /// <summary>Makes the range part of the file; what is new reads as zeros.</summary>
    public void Allocate(long offset, long length)
    {
        if (offset + length <= Length && _holes.IsEmpty)
            return;
        lock (_lock)
        {
            var end = offset + length;
            if (end > _accessible)
                MakeAccessible(end);
            if (offset > _length)
                _holes.Add(_length, offset - _length);
            _holes.Remove(offset, length);
            if (end > _length)
                Volatile.Write(ref _length, end);
        }
    }

    /// <summary>Gives the whole memory pages inside the range back and zeroes its edges.</summary>
    public void Punch(long offset, long length)
    {
        lock (_lock)
        {
            var page = (long)Environment.SystemPageSize;
            var end = offset + length;
            var (wholeStart, wholeEnd) = ((offset + page - 1) / page * page, end / page * page);
            if (wholeStart >= wholeEnd)
            {
                NativeMemory.Clear(Start + offset, (nuint)length);
                return;
            }
            NativeMemory.Clear(Start + offset, (nuint)(wholeStart - offset));
            NativeMemory.Clear(Start + wholeEnd, (nuint)(end - wholeEnd));
            // Private anonymous memory reads as zeros after it (madvise(2)).
            if (LinuxCalls.MAdvise((nint)(Start + wholeStart), (nint)(wholeEnd - wholeStart), LinuxCalls.MADV_DONTNEED) != 0)
                throw LinuxErrors.MakeLast(_path, "madvise", offset);
            _holes.Add(offset, length);
        }
    }

    public bool TryFindHole(long offset, out long holeOffset, out long holeLength)
    {
        lock (_lock)
            return _holes.TryFind(offset, _length, out holeOffset, out holeLength);
    }

    private void MakeAccessible(long end)
    {
        if (end > _reserved)
            throw new DiskFullException(_path, "write", _length, LinuxCalls.ENOSPC);
        // Doubling, up to a point, keeps the number of calls small; untouched memory is not used.
        var ahead = Math.Max(end, Math.Min(_accessible * 2, end + MaxGrowthAhead));
        var wanted = Math.Min(_reserved, (ahead + GrowthStep - 1) / GrowthStep * GrowthStep);
        if (LinuxCalls.MProtect((nint)Start, (nint)wanted, LinuxCalls.PROT_READ | LinuxCalls.PROT_WRITE) != 0)
            throw new DiskFullException(_path, "mprotect", _length, LinuxErrors.Last());
        _committedChanged(wanted - _accessible);
        _accessible = wanted;
    }
}
