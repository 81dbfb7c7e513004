using System.Runtime.InteropServices;
using Jackdaw.Storage;
using Jackdaw.Storage.Disk;

namespace Jackdaw.Simulation.Medium;

/// <summary>
/// A file's content twice: as the running machine sees it (page cache), and as it is on the medium; and between them the changes
/// that no sync
/// covers yet.
/// </summary>
internal sealed unsafe class SimulatedInode : ISimulatedNode
{
    private readonly MemoryRegion _cache = MemoryRegion.Take();
    private readonly MemoryRegion _medium = MemoryRegion.Take();
    private readonly List<PendingChange> _pending = [];
    private HoleSet _holes = new();
    private HoleSet _mediumHoles = new();
    private byte[] _pendingBytes = [];
    private int _pendingUsed;
    private long _mediumLength;
    private long _usedCache;
    private long _usedMedium;

    public long Length { get; private set; }

    /// <summary>The page cache; a mapping of the file is this memory itself.</summary>
    public byte* Cache => _cache.Start;

    /// <summary>What is on the medium, for damage.</summary>
    public Span<byte> Medium => new(_medium.Start, (int)_mediumLength);

    /// <summary>Written bytes are waiting for a sync.</summary>
    public bool HasPending => _pendingUsed > 0;

    public bool Reachable { get; set; }

    public bool TryFindHole(long offset, out long holeOffset, out long holeLength) =>
        _holes.TryFind(offset, Length, out holeOffset, out holeLength);

    public void WriteBuffered(long offset, byte* buffer, int length)
    {
        PutIntoCache(offset, buffer, length);
        if (_pendingUsed + length > _pendingBytes.Length)
            Array.Resize(ref _pendingBytes, Math.Max(_pendingUsed + length, _pendingBytes.Length * 2));
        new ReadOnlySpan<byte>(buffer, length).CopyTo(_pendingBytes.AsSpan(_pendingUsed));
        _pending.Add(new PendingChange(DiskOperation.Write, offset, length, _pendingUsed));
        _pendingUsed += length;
    }

    /// <summary>What a direct, synchronous write does: on the medium when it returns.</summary>
    public void WriteThrough(long offset, byte* buffer, int length)
    {
        PutIntoCache(offset, buffer, length);
        PutOnMedium(offset, new ReadOnlySpan<byte>(buffer, length));
    }

    public void Allocate(long offset, int length)
    {
        GrowCache(offset, length);
        _pending.Add(new PendingChange(DiskOperation.Allocate, offset, length, 0));
    }

    public void Punch(long offset, int length)
    {
        NativeMemory.Clear(Cache + offset, (nuint)length);
        _holes.Add(offset, length);
        _pending.Add(new PendingChange(DiskOperation.Punch, offset, length, 0));
    }

    /// <summary>Everything pending reaches the medium.</summary>
    public void MakeDurable()
    {
        foreach (var change in _pending)
            Apply(change);
        ForgetPending();
    }

    /// <summary>
    /// A failed sync: the bytes written reach the medium or not, and no later sync will try again; the cache goes on showing
    /// them. Lengths and
    /// allocations are the file system's own, which its journal keeps: those stay pending.
    /// </summary>
    public void LosePending(SimulatedRandom random)
    {
        for (var i = 0; i < _pending.Count; i++)
        {
            var change = _pending[i];
            if (change.Operation != DiskOperation.Write)
                continue;
            if (random.Coin())
                Apply(change);
            _pending[i] = change with { Operation = DiskOperation.Allocate };
        }
        _pendingUsed = 0;
    }

    /// <summary>The power goes: pending changes are kept, lost or torn, and the cache is what the medium holds.</summary>
    public void PowerCut(SimulatedRandom random, int unit)
    {
        // Some cuts come long after the last write (all written back), some at once (nothing was), most in between.
        var mood = random.Next(4);
        foreach (var change in _pending)
        {
            var fate = mood switch
            {
                0 => 0,
                1 => 1,
                _ => random.Next(3),
            };
            if (fate == 0)
                Apply(change);
            else if (fate == 2)
                ApplyTorn(change, random, unit);
        }
        ForgetPending();
        ShowMedium();
    }

    /// <summary>A range of the cache becomes what the medium holds.</summary>
    public void ShowMedium(long offset, int length)
    {
        var end = Math.Min(offset + length, _mediumLength);
        if (end > offset)
            PutIntoCache(offset, _medium.Start + offset, (int)(end - offset));
    }

    /// <summary>The cache becomes what the medium holds: after damage, or when nothing is pending.</summary>
    public void ShowMedium()
    {
        var length = (nuint)Math.Max(_usedCache, _mediumLength);
        NativeMemory.Copy(_medium.Start, Cache, length);
        _usedCache = _mediumLength;
        Length = _mediumLength;
        _holes = _mediumHoles.Clone();
    }

    public void Free()
    {
        _cache.Return(_usedCache);
        _medium.Return(_usedMedium);
    }

    private void Apply(PendingChange change)
    {
        switch (change.Operation)
        {
            case DiskOperation.Write:
                PutOnMedium(change.Offset, _pendingBytes.AsSpan(change.Bytes, change.Length));
                break;
            case DiskOperation.Allocate:
                GrowMedium(change.Offset, change.Length);
                break;
            default:
                new Span<byte>(_medium.Start + change.Offset, change.Length).Clear();
                _usedMedium = Math.Max(_usedMedium, change.Offset + change.Length);
                _mediumHoles.Add(change.Offset, change.Length);
                break;
        }
    }

    /// <summary>Each block of the medium that a write touches becomes new or stays old.</summary>
    private void ApplyTorn(PendingChange change, SimulatedRandom random, int unit)
    {
        if (change.Operation != DiskOperation.Write)
            return;
        fixed (byte* bytes = _pendingBytes)
            WriteTorn(change.Offset, bytes + change.Bytes, change.Length, random, unit);
    }

    /// <summary>Puts a write on the medium block by block as chance has it; on the medium only.</summary>
    public void WriteTorn(long offset, byte* buffer, int length, SimulatedRandom random, int unit)
    {
        var mood = random.Next(3);
        var cut = offset + random.Next(length + 1);
        for (var start = offset; start < offset + length; )
        {
            var end = Math.Min(offset + length, (start / unit + 1) * unit);
            // A prefix, a suffix, or any blocks.
            if (
                mood switch
                {
                    0 => start < cut,
                    1 => start >= cut,
                    _ => random.Coin(),
                }
            )
                PutOnMedium(start, new ReadOnlySpan<byte>(buffer + (start - offset), (int)(end - start)));
            start = end;
        }
    }

    private void PutIntoCache(long offset, byte* buffer, int length)
    {
        GrowCache(offset, length);
        NativeMemory.Copy(buffer, Cache + offset, (nuint)length);
    }

    private void PutOnMedium(long offset, ReadOnlySpan<byte> bytes)
    {
        GrowMedium(offset, bytes.Length);
        bytes.CopyTo(new Span<byte>(_medium.Start + offset, bytes.Length));
    }

    private void GrowCache(long offset, int length)
    {
        Invariant.Require(offset + length <= MemoryRegion.Capacity);
        if (offset > Length)
            _holes.Add(Length, offset - Length);
        _holes.Remove(offset, length);
        Length = Math.Max(Length, offset + length);
        _usedCache = Math.Max(_usedCache, Length);
    }

    private void GrowMedium(long offset, int length)
    {
        if (offset > _mediumLength)
            _mediumHoles.Add(_mediumLength, offset - _mediumLength);
        _mediumHoles.Remove(offset, length);
        _mediumLength = Math.Max(_mediumLength, offset + length);
        _usedMedium = Math.Max(_usedMedium, _mediumLength);
    }

    private void ForgetPending()
    {
        _pending.Clear();
        _pendingUsed = 0;
    }
}
