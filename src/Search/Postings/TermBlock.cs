using System.Buffers.Binary;
using System.Runtime.InteropServices;
using Jackdaw.Storage;

namespace Jackdaw.Search.Postings;

/// <summary>A block of a large set, as its bytes are. Layout: docs/search-format.md, "Block".</summary>
internal readonly ref struct TermBlock
{
    /// <summary>Ids of a block at most.</summary>
    public const int MaxIds = 256;

    /// <summary>Two neighbours with fewer ids together are joined.</summary>
    public const int JoinBelowIds = 64;

    public const int HeaderBytes = 24;

    /// <summary>Bytes of the largest block.</summary>
    public const int MaxBytes = HeaderBytes + MaxIds * sizeof(long) + MaxIds * sizeof(uint);

    private readonly ReadOnlySpan<byte> _value;

    public TermBlock(ReadOnlySpan<byte> value)
    {
        _value = value;
        Invariant.Require(value.Length >= HeaderBytes && Count is > 0 and <= MaxIds && Bits <= 64 && FrequencyBits <= 32);
        Invariant.Require(value.Length == HeaderBytes + IdBytes + BitPacking.Bytes(Count, FrequencyBits));
    }

    public int Count => BinaryPrimitives.ReadUInt16LittleEndian(_value);

    /// <summary>The greatest frequency of a posting.</summary>
    public uint GreatestFrequency => BinaryPrimitives.ReadUInt32LittleEndian(_value[4..]);

    /// <summary>No posting's field is shorter; 0: not known.</summary>
    public uint ShortestLength => BinaryPrimitives.ReadUInt32LittleEndian(_value[8..]);

    public long FirstId => BinaryPrimitives.ReadInt64LittleEndian(_value[16..]);

    private int Bits => _value[2];

    private int FrequencyBits => _value[3];

    private int IdBytes => BitPacking.Bytes(Count - 1, Bits);

    /// <summary>Writes the ids, ascending; returns how many.</summary>
    public int ReadIds(Span<long> ids)
    {
        int count = Count;
        ids = ids[..count];
        long id = FirstId;
        ids[0] = id;
        BitPacking.Unpack(_value[HeaderBytes..], Bits, MemoryMarshal.Cast<long, ulong>(ids[1..]));
        for (int i = 1; i < ids.Length; i++)
        {
            id += ids[i] + 1;
            ids[i] = id;
        }
        Invariant.Require(id >= FirstId);
        return count;
    }

    /// <summary>Writes the frequency of each posting.</summary>
    public void ReadFrequencies(Span<uint> frequencies)
    {
        int count = Count;
        Span<ulong> wide = stackalloc ulong[MaxIds];
        BitPacking.Unpack(_value[(HeaderBytes + IdBytes)..], FrequencyBits, wide[..count]);
        for (int i = 0; i < count; i++)
            frequencies[i] = (uint)wide[i] + 1;
    }

    /// <summary>Writes a block; returns its bytes.</summary>
    public static int Write(ReadOnlySpan<long> ids, ReadOnlySpan<uint> frequencies, uint shortestLength, Span<byte> destination)
    {
        int count = ids.Length;
        Invariant.Require(count is > 0 and <= MaxIds && frequencies.Length == count);
        Span<ulong> numbers = stackalloc ulong[MaxIds];
        ulong all = 0;
        for (int i = 1; i < count; i++)
        {
            Invariant.Require(ids[i] > ids[i - 1]);
            all |= numbers[i - 1] = (ulong)(ids[i] - ids[i - 1] - 1);
        }
        int bits = BitPacking.BitsOf(all);
        int idBytes = BitPacking.Bytes(count - 1, bits);
        BitPacking.Pack(numbers[..(count - 1)], bits, destination.Slice(HeaderBytes, idBytes));

        uint greatest = 0;
        for (int i = 0; i < count; i++)
        {
            Invariant.Require(frequencies[i] > 0);
            numbers[i] = frequencies[i] - 1;
            greatest = Math.Max(greatest, frequencies[i]);
        }
        int frequencyBits = BitPacking.BitsOf(greatest - 1);
        int frequencyBytes = BitPacking.Bytes(count, frequencyBits);
        BitPacking.Pack(numbers[..count], frequencyBits, destination.Slice(HeaderBytes + idBytes, frequencyBytes));

        destination[..HeaderBytes].Clear();
        BinaryPrimitives.WriteUInt16LittleEndian(destination, (ushort)count);
        destination[2] = (byte)bits;
        destination[3] = (byte)frequencyBits;
        BinaryPrimitives.WriteUInt32LittleEndian(destination[4..], greatest);
        BinaryPrimitives.WriteUInt32LittleEndian(destination[8..], shortestLength);
        BinaryPrimitives.WriteInt64LittleEndian(destination[16..], ids[0]);
        return HeaderBytes + idBytes + frequencyBytes;
    }
}
