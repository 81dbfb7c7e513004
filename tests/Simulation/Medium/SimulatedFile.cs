using System.Numerics;
using System.Runtime.InteropServices;
using Jackdaw.Storage;
using Jackdaw.Storage.Disk;

namespace Jackdaw.Simulation.Medium;

/// <summary>An open file of a <see cref="SimulatedDisk"/>; dead once the machine or the process has been restarted.</summary>
internal sealed unsafe class SimulatedFile(SimulatedDisk disk, SimulatedInode inode, string path, DiskFileMode mode, string folder)
    : IDiskFile
{
    private readonly int _session = disk.Session;
    private bool _mapped;
    private bool _disposed;

    /// <summary>Within the folder that is a disk of its own to whoever opened it.</summary>
    public string Path => path[folder.Length..];

    public string FullPath => $"{disk.Description}/{path}";

    public long Length => inode.Length;

    public int ReadAt(long offset, byte* buffer, int length)
    {
        CheckAlignment("read", offset, buffer, length);
        var outcome = Begin(DiskOperation.Read, offset, length, disk.Faults.ReadError);
        var count = (int)Math.Clamp(inode.Length - offset, 0, length);
        if (outcome == DiskOutcome.Done)
            NativeMemory.Copy(inode.Cache + offset, buffer, (nuint)count);
        disk.End(DiskOperation.Read, path, offset, count, outcome);
        return count;
    }

    public int WriteAt(long offset, byte* buffer, int length)
    {
        CheckAlignment("write", offset, buffer, length);
        var direct = mode == DiskFileMode.Direct;
        var outcome = Begin(DiskOperation.Write, offset, length, direct ? disk.Faults.JournalWriteError : disk.Faults.WriteError);
        if (outcome == DiskOutcome.Done && disk.IsFull && offset + length > inode.Length)
            outcome = DiskOutcome.NoSpace;
        if (outcome == DiskOutcome.Done && length > 1 && disk.Chance(disk.Faults.ShortWrite))
            outcome = DiskOutcome.Short;
        if (outcome == DiskOutcome.Done && direct && inode.Length > length && disk.Chance(disk.Faults.MisdirectedWrite))
            outcome = DiskOutcome.Misdirected;
        var taken = outcome == DiskOutcome.Short ? 1 + disk.Random.Next(length - 1) : length;
        if (direct)
            WriteDirect(offset, buffer, length, taken, outcome);
        else if (outcome is DiskOutcome.Done or DiskOutcome.Short)
            inode.WriteBuffered(offset, buffer, taken);
        disk.End(DiskOperation.Write, path, offset, taken, outcome, HashOf(buffer, length));
        return taken;
    }

    public void Sync()
    {
        var outcome = Begin(DiskOperation.Sync, 0, 0, inode.HasPending ? disk.Faults.SyncError : 0);
        if (outcome == DiskOutcome.Done)
            inode.MakeDurable();
        else if (outcome == DiskOutcome.Failed)
            inode.LosePending(disk.Random);
        disk.End(DiskOperation.Sync, path, 0, 0, outcome);
    }

    public void BeginWriteBack(long offset, long length) =>
        disk.End(DiskOperation.BeginWriteBack, path, offset, length, Begin(DiskOperation.BeginWriteBack, offset, length, 0));

    public void WaitForWriteBack(long offset, long length)
    {
        // The kernel tells an error of write-back once, here or at fdatasync: whoever hears it must not rely on the next sync.
        var outcome = Begin(DiskOperation.WaitForWriteBack, offset, length, inode.HasPending ? disk.Faults.SyncError : 0);
        if (outcome == DiskOutcome.Failed)
            inode.LosePending(disk.Random);
        disk.End(DiskOperation.WaitForWriteBack, path, offset, length, outcome);
    }

    public void Allocate(long offset, long length)
    {
        Invariant.Require(offset >= 0 && length > 0);
        var outcome = Begin(DiskOperation.Allocate, offset, length, disk.Faults.MetadataError);
        if (outcome == DiskOutcome.Done && (disk.IsFull || disk.Chance(disk.Faults.NoSpace)))
            outcome = DiskOutcome.NoSpace;
        if (outcome == DiskOutcome.Done)
            inode.Allocate(offset, (int)length);
        disk.End(DiskOperation.Allocate, path, offset, length, outcome);
    }

    public void Punch(long offset, long length)
    {
        Invariant.Require(offset >= 0 && length > 0 && offset + length <= inode.Length);
        var outcome = Begin(DiskOperation.Punch, offset, length, disk.Faults.MetadataError);
        if (outcome == DiskOutcome.Done)
        {
            inode.Punch(offset, (int)length);
            disk.Punches++;
        }
        disk.End(DiskOperation.Punch, path, offset, length, outcome);
    }

    public bool TryFindHole(long offset, out long holeOffset, out long holeLength)
    {
        var outcome = Begin(DiskOperation.FindHole, offset, 0, 0);
        var found = inode.TryFindHole(offset, out holeOffset, out holeLength);
        disk.End(DiskOperation.FindHole, path, offset, holeLength, outcome);
        return found;
    }

    public byte* Map(long reserveBytes)
    {
        Invariant.Require(mode == DiskFileMode.Data && !_mapped);
        _mapped = true;
        disk.End(DiskOperation.Map, path, 0, reserveBytes, Begin(DiskOperation.Map, 0, reserveBytes, 0));
        return inode.Cache;
    }

    public void Populate(long offset, long length)
    {
        Invariant.Require(_mapped && offset >= 0 && length >= 0 && offset + length <= inode.Length);
        disk.End(DiskOperation.Populate, path, offset, length, Begin(DiskOperation.Populate, offset, length, disk.Faults.ReadError));
    }

    /// <summary>The memory of an unlinked file is taken back at the next restart, for a mapping may still show it.</summary>
    public void Dispose() => _disposed = true;

    private DiskOutcome Begin(DiskOperation operation, long offset, long length, int errorOdds)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        Invariant.Require(_session == disk.Session);
        return disk.Begin(operation, path, offset, length, errorOdds);
    }

    private void WriteDirect(long offset, byte* buffer, int length, int taken, DiskOutcome outcome)
    {
        switch (outcome)
        {
            case DiskOutcome.Done:
                inode.WriteThrough(offset, buffer, length);
                break;
            case DiskOutcome.Short:
                // Whole blocks are taken for certain; what became of the one in which the count ends is not known.
                var whole = taken - taken % disk.AtomicUnit;
                if (whole > 0)
                    inode.WriteThrough(offset, buffer, whole);
                if (whole < taken && disk.Random.Coin())
                    inode.WriteThrough(offset + whole, buffer + whole, disk.AtomicUnit);
                break;
            case DiskOutcome.Misdirected:
                var blocks = (inode.Length - length) / disk.AtomicUnit + 1;
                inode.WriteThrough(disk.Random.NextInt64(blocks) * disk.AtomicUnit, buffer, length);
                break;
            case DiskOutcome.Failed or DiskOutcome.PowerCut:
                inode.WriteTorn(offset, buffer, length, disk.Random, disk.AtomicUnit);
                inode.ShowMedium(offset, length);
                break;
        }
    }

    /// <summary>As the kernel does for O_DIRECT: EINVAL.</summary>
    private void CheckAlignment(string operation, long offset, byte* buffer, int length)
    {
        Invariant.Require(offset >= 0 && length >= 0);
        var unit = disk.AtomicUnit;
        if (mode == DiskFileMode.Direct && (offset % unit != 0 || length % unit != 0 || (ulong)buffer % (ulong)unit != 0))
            throw LinuxErrors.Make(path, operation, offset, LinuxCalls.EINVAL);
    }

    private static ulong HashOf(byte* buffer, int length)
    {
        uint a = 0;
        var i = 0;
        for (; i + 8 <= length; i += 8)
            a = BitOperations.Crc32C(a, *(ulong*)(buffer + i));
        for (; i < length; i++)
            a = BitOperations.Crc32C(a, buffer[i]);
        return a;
    }
}
