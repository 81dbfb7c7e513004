using System.Numerics;
using System.Runtime.CompilerServices;
using Jackdaw.Storage;
using Jackdaw.Storage.Memory;

namespace Jackdaw.Search.Matching;

/// <summary>
/// A set of entry ids as bits, in native memory: 8 KB for each 65,536 ids that have any. Of one thread.
/// </summary>
internal sealed unsafe class EntryBitmap : IDisposable
{
    private const int ChunkShift = 16;
    private const int ChunkIds = 1 << ChunkShift;
    private const int ChunkWords = ChunkIds / 64;
    private const int ChunkBytes = ChunkIds / 8;

    private static readonly NativeArena s_arena = new("search bitmaps");

    private readonly int _chunkCount;
    private ulong** _chunks;

    /// <param name="greatestId">No id is greater.</param>
    public EntryBitmap(long greatestId)
    {
        Invariant.Require(greatestId >= 0);
        _chunkCount = checked((int)(greatestId >> ChunkShift) + 1);
        _chunks = (ulong**)s_arena.Allocate((long)_chunkCount * sizeof(ulong*));
        new Span<byte>(_chunks, _chunkCount * sizeof(ulong*)).Clear();
    }

    /// <summary>Native memory of all bitmaps, in bytes.</summary>
    public static long AllocatedBytes => s_arena.AllocatedBytes;

    /// <summary>Ids in the set.</summary>
    public long Count { get; private set; }

    /// <summary>Adds ids, in any order.</summary>
    public void Add(ReadOnlySpan<long> ids)
    {
        long added = 0;
        foreach (long id in ids)
        {
            ref ulong word = ref WordOf(id);
            ulong bit = 1UL << (int)id;
            added += (word & bit) == 0 ? 1 : 0;
            word |= bit;
        }
        Count += added;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool Contains(long id)
    {
        long chunk = id >> ChunkShift;
        if ((ulong)chunk >= (ulong)_chunkCount || _chunks[chunk] == null)
            return false;
        return (_chunks[chunk][(id & (ChunkIds - 1)) >> 6] >> (int)id & 1) != 0;
    }

    /// <summary>Keeps the ids that are in the set (or, where <paramref name="isIn"/> is false, those that are not) at the front; returns
    /// how
    /// many.</summary>
    public int Filter(Span<long> ids, bool isIn)
    {
        int kept = 0;
        foreach (long id in ids)
        {
            ids[kept] = id;
            kept += Contains(id) == isIn ? 1 : 0;
        }
        return kept;
    }

    /// <summary>Fills in ids from <paramref name="from"/> on, ascending, and moves it behind them; returns how many.</summary>
    public int Fill(ref long from, Span<long> ids)
    {
        int filled = 0;
        long id = Math.Max(from, 0);
        while (id >> ChunkShift < _chunkCount)
        {
            ulong* chunk = _chunks[id >> ChunkShift];
            if (chunk == null)
            {
                id = ((id >> ChunkShift) + 1) << ChunkShift;
                continue;
            }
            long start = id & ~(long)(ChunkIds - 1);
            int word = (int)(id - start) >> 6;
            ulong bits = chunk[word] & ulong.MaxValue << (int)id;
            for (; ; )
            {
                long first = start + (word << 6);
                if (BitOperations.PopCount(bits) > ids.Length - filled)
                {
                    for (; filled < ids.Length; bits &= bits - 1)
                        ids[filled++] = first + BitOperations.TrailingZeroCount(bits);
                    from = ids.IsEmpty ? from : ids[filled - 1] + 1;
                    return filled;
                }
                for (; bits != 0; bits &= bits - 1)
                    ids[filled++] = first + BitOperations.TrailingZeroCount(bits);
                if (++word == ChunkWords)
                    break;
                bits = chunk[word];
            }
            id = start + ChunkIds;
        }
        from = id;
        return filled;
    }

    /// <summary>Fills in ids up to <paramref name="upTo"/>, descending, and moves it before them; returns how many.</summary>
    public int FillDescending(ref long upTo, Span<long> ids)
    {
        int filled = 0;
        long id = Math.Min(upTo, ((long)_chunkCount << ChunkShift) - 1);
        while (id >= 0 && filled < ids.Length)
        {
            ulong* chunk = _chunks[id >> ChunkShift];
            if (chunk == null)
            {
                id = (id & ~(long)(ChunkIds - 1)) - 1;
                continue;
            }
            int word = (int)(id & (ChunkIds - 1)) >> 6;
            ulong bits = chunk[word] & ulong.MaxValue >> (63 - (int)(id & 63));
            long first = id & ~63L;
            while (bits != 0 && filled < ids.Length)
            {
                int bit = 63 - BitOperations.LeadingZeroCount(bits);
                bits ^= 1UL << bit;
                ids[filled++] = first + bit;
            }
            id = bits != 0 ? ids[filled - 1] - 1 : first - 1;
        }
        upTo = id;
        return filled;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_chunks == null)
            return;
        for (int i = 0; i < _chunkCount; i++)
        {
            if (_chunks[i] != null)
                s_arena.Free(_chunks[i], ChunkBytes);
        }
        s_arena.Free(_chunks, (long)_chunkCount * sizeof(ulong*));
        _chunks = null;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ref ulong WordOf(long id)
    {
        long chunk = id >> ChunkShift;
        Invariant.Require((ulong)chunk < (ulong)_chunkCount);
        if (_chunks[chunk] == null)
            AddChunk(chunk);
        return ref _chunks[chunk][(id & (ChunkIds - 1)) >> 6];
    }

    private void AddChunk(long chunk)
    {
        _chunks[chunk] = (ulong*)s_arena.Allocate(ChunkBytes);
        new Span<byte>(_chunks[chunk], ChunkBytes).Clear();
    }
}
