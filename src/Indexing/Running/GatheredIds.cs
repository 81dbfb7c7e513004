using System.Buffers.Binary;

namespace Jackdaw.Indexing.Running;

/// <summary>Ids that wait for their turn, in the order in which they came: they lie behind one another in chunks, so that an id costs its
/// bytes and two more.</summary>
internal sealed class GatheredIds
{
    private const int ChunkBytes = 64 << 10;

    private readonly List<byte[]> _chunks = [];
    private int _end = ChunkBytes;
    private int _chunk;
    private int _next;

    /// <summary>Ids that were added, those taken included.</summary>
    public int Count { get; private set; }

    /// <summary>Bytes that they take, in whole chunks.</summary>
    public long Bytes => (long)_chunks.Count * ChunkBytes;

    /// <summary>Adds an id of at most 64 KB, less two bytes.</summary>
    public void Add(ReadOnlySpan<byte> id)
    {
        if (_end + sizeof(ushort) + id.Length > ChunkBytes)
        {
            if (_chunks.Count > 0 && _end + sizeof(ushort) <= ChunkBytes)
                BinaryPrimitives.WriteUInt16LittleEndian(_chunks[^1].AsSpan(_end), ushort.MaxValue);
            _chunks.Add(new byte[ChunkBytes]);
            _end = 0;
        }
        var room = _chunks[^1].AsSpan(_end);
        BinaryPrimitives.WriteUInt16LittleEndian(room, (ushort)id.Length);
        id.CopyTo(room[sizeof(ushort)..]);
        _end += sizeof(ushort) + id.Length;
        Count++;
    }

    /// <summary>Takes the next id; false when each has been taken. Nothing is added any more.</summary>
    public bool TryTake(out ReadOnlySpan<byte> id)
    {
        id = default;
        if (_chunk < _chunks.Count - 1 && IsAtEndOfChunk())
        {
            _chunk++;
            _next = 0;
        }
        if (_chunk >= _chunks.Count || (_chunk == _chunks.Count - 1 && _next == _end))
            return false;
        var rest = _chunks[_chunk].AsSpan(_next);
        int length = BinaryPrimitives.ReadUInt16LittleEndian(rest);
        id = rest.Slice(sizeof(ushort), length);
        _next += sizeof(ushort) + length;
        return true;
    }

    private bool IsAtEndOfChunk() =>
        _next + sizeof(ushort) > ChunkBytes || BinaryPrimitives.ReadUInt16LittleEndian(_chunks[_chunk].AsSpan(_next)) == ushort.MaxValue;
}
