using Jackdaw.Storage.Memory;

namespace Jackdaw.Storage.Data;

/// <summary>
/// One bit a page of the data file: its checksum has been verified (or it was written) by this process, and it was in memory then.
/// Thread-safe. Chunks of 65,536 pages are made on demand.
/// </summary>
internal sealed unsafe class VerifiedPages : IDisposable
{
    /// <summary>Pages of a chunk: those of 512 MB of the file.</summary>
    public const int ChunkPages = 65_536;
    private const int ChunkBytes = ChunkPages / 8;
    private readonly NativeArena _arena = new("verified pages");
    private readonly nint[] _chunks;

    public VerifiedPages(long maxPages) => _chunks = new nint[(maxPages + ChunkPages - 1) / ChunkPages];

    public bool IsSet(long page)
    {
        var chunk = (long*)Volatile.Read(ref _chunks[page / ChunkPages]);
        return chunk != null && (Volatile.Read(ref chunk[page % ChunkPages / 64]) & (1L << (int)(page % 64))) != 0;
    }

    public void Set(long page) => Interlocked.Or(ref Word(page), 1L << (int)(page % 64));

    public void Clear(long page) => Interlocked.And(ref Word(page), ~(1L << (int)(page % 64)));

    /// <summary>Clears every mark.</summary>
    public void ClearAll()
    {
        foreach (ref var entry in _chunks.AsSpan())
        {
            var chunk = (long*)Volatile.Read(ref entry);
            for (var i = 0; chunk != null && i < ChunkPages / 64; i++)
                Volatile.Write(ref chunk[i], 0);
        }
    }

    /// <summary>Chunks of the whole range, whether made or not.</summary>
    public int ChunkCount => _chunks.Length;

    /// <summary>Whether any page of the chunk may be set.</summary>
    public bool MayHaveSet(int chunk) => Volatile.Read(ref _chunks[chunk]) != 0;

    public void Dispose()
    {
        for (var i = 0; i < _chunks.Length; i++)
        {
            if (_chunks[i] != 0)
                _arena.Free((void*)_chunks[i], ChunkBytes);
            _chunks[i] = 0;
        }
        _arena.Dispose();
    }

    private ref long Word(long page)
    {
        var chunk = (long*)Volatile.Read(ref _chunks[page / ChunkPages]);
        if (chunk == null)
            chunk = AddChunk((int)(page / ChunkPages));
        return ref chunk[page % ChunkPages / 64];
    }

    private long* AddChunk(int index)
    {
        var made = _arena.Allocate(ChunkBytes);
        new Span<byte>(made, ChunkBytes).Clear();
        var present = Interlocked.CompareExchange(ref _chunks[index], (nint)made, 0);
        if (present == 0)
            return (long*)made;
        _arena.Free(made, ChunkBytes);
        return (long*)present;
    }
}
