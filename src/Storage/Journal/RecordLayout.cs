using System.Numerics;
using System.Runtime.CompilerServices;

namespace Jackdaw.Storage.Journal;

/// <summary>Offsets within a record and its blocks. docs/storage-format.md, "Journal files".</summary>
internal static unsafe class RecordLayout
{
    /// <summary>"JREC", read as a little-endian number.</summary>
    public const uint Magic = 0x4345524A;
    public const ushort Version = 2;
    public const ushort CompressedFlag = 1;
    public const ushort ContinuesFlag = 2;

    public const int HeaderBytes = 64;
    public const int HeaderChecksumAt = 56;
    public const int ChecksumBytes = 4;
    public const int StampBytes = 16;

    /// <summary>The buffers and the file lengths of direct I/O are multiples of this on every device.</summary>
    public const int Alignment = 4096;

    /// <summary>Bytes in the file of a record with so many payload bytes as stored.</summary>
    public static long SizeInFile(long payloadBytes, int unit)
    {
        var perBlock = unit - StampBytes;
        var record = HeaderBytes + payloadBytes + ChecksumBytes;
        return (record + perBlock - 1) / perBlock * unit;
    }

    public static void WriteStamp(byte* block, int unit, ulong salt, long offset, long number)
    {
        var stamp = block + unit - StampBytes;
        Unsafe.WriteUnaligned(stamp, (uint)salt);
        Unsafe.WriteUnaligned(stamp + 4, (uint)(offset / unit));
        Unsafe.WriteUnaligned(stamp + 8, number);
    }

    /// <summary>Whether the block carries the stamp that the record of this number gave to the block at this offset.</summary>
    public static bool HasStamp(byte* block, int unit, ulong salt, long offset, long number) =>
        StampSalt(block, unit) == (uint)salt && StampBlock(block, unit) == (uint)(offset / unit) && StampNumber(block, unit) == number;

    public static uint StampSalt(byte* block, int unit) => Unsafe.ReadUnaligned<uint>(block + unit - StampBytes);

    public static uint StampBlock(byte* block, int unit) => Unsafe.ReadUnaligned<uint>(block + unit - StampBytes + 4);

    public static long StampNumber(byte* block, int unit) => Unsafe.ReadUnaligned<long>(block + unit - StampBytes + 8);

    public static ulong NextChain(ulong previous, uint headerChecksum, uint checksum) =>
        BitOperations.RotateLeft(previous, 13) ^ ((ulong)headerChecksum << 32 | checksum);
}
