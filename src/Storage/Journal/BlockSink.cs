using System.Runtime.CompilerServices;

namespace Jackdaw.Storage.Journal;

/// <summary>Writes bytes one after another, leaving out the places of the stamps; or, in one piece, leaving out nothing.</summary>
internal unsafe struct BlockSink
{
    private readonly long _perBlock;
    private byte* _next;
    private long _room;

    private BlockSink(byte* start, long perBlock)
    {
        _next = start;
        _perBlock = perBlock;
        _room = perBlock;
    }

    public long Written { get; private set; }

    public static BlockSink Stamped(byte* start, int unit) => new(start, unit - RecordLayout.StampBytes);

    public static BlockSink InOnePiece(byte* start) => new(start, long.MaxValue);

    public void Write(byte* bytes, long length)
    {
        Written += length;
        while (length > _room)
        {
            Buffer.MemoryCopy(bytes, _next, _room, _room);
            bytes += _room;
            length -= _room;
            _next += _room + RecordLayout.StampBytes;
            _room = _perBlock;
        }
        Buffer.MemoryCopy(bytes, _next, length, length);
        _next += length;
        _room -= length;
    }

    public void Write<T>(T value)
        where T : unmanaged
    {
        if (_room < sizeof(T))
        {
            Write((byte*)&value, sizeof(T));
            return;
        }
        Unsafe.WriteUnaligned(_next, value);
        _next += sizeof(T);
        _room -= sizeof(T);
        Written += sizeof(T);
    }

    /// <summary>Leaves a place for bytes that are written later. Within the first block only.</summary>
    public void Skip(int bytes)
    {
        Invariant.Require(bytes <= _room);
        _next += bytes;
        _room -= bytes;
        Written += bytes;
    }

    /// <summary>Zeros the rest of the block.</summary>
    public readonly void ClearRest() => new Span<byte>(_next, (int)_room).Clear();
}
