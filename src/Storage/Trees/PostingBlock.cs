using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Jackdaw.Storage.Trees;

/// <summary>
/// One block of a posting page: where its numbers are and how they are packed. Numbers after the first are kept as differences,
/// less 1, in the
/// fewest bits that hold the largest one. Layout: docs/storage-format.md, "Posting sets".
/// </summary>
[StructLayout(LayoutKind.Sequential, Pack = 1, Size = Size)]
internal struct PostingBlock
{
    public const int Size = 12;

    public const int MaxNumbers = 128;

    /// <summary>Room that packing and unpacking need: all differences of a block at 64 bits, and a word to overrun.</summary>
    public const int BufferBytes = (MaxNumbers - 1) * sizeof(long) + 2 * sizeof(long);

    public long First;
    public ushort Offset;
    public byte CountLessOne;
    public byte Width;

    public readonly int Count => CountLessOne + 1;

    public readonly int PackedBytes => ((CountLessOne * Width) + 7) / 8;

    /// <summary>Packs 1 to 128 ascending numbers; <paramref name="packed"/> has <see cref="BufferBytes"/>. The offset is for the
    /// page to set.</summary>
    public static PostingBlock Pack(ReadOnlySpan<long> numbers, Span<byte> packed)
    {
        Invariant.Require(numbers.Length is > 0 and <= MaxNumbers && packed.Length >= BufferBytes);
        ulong largest = 0;
        for (int i = 1; i < numbers.Length; i++)
        {
            Invariant.Require(numbers[i] > numbers[i - 1]);
            largest |= Difference(numbers, i);
        }
        int width = 64 - BitOperations.LeadingZeroCount(largest);
        ulong word = 0;
        int used = 0;
        int at = 0;
        for (int i = 1; i < numbers.Length; i++)
        {
            ulong difference = Difference(numbers, i);
            word |= difference << used;
            used += width;
            if (used < 64)
                continue;
            MemoryMarshal.Write(packed[at..], word);
            at += sizeof(ulong);
            used -= 64;
            word = used == 0 ? 0 : difference >> (width - used);
        }
        MemoryMarshal.Write(packed[at..], word);
        return new PostingBlock
        {
            First = numbers[0],
            CountLessOne = (byte)(numbers.Length - 1),
            Width = (byte)width,
        };
    }

    /// <summary>Unpacks the block's numbers; <paramref name="packed"/> holds just its differences. Returns how many.</summary>
    [SkipLocalsInit]
    public readonly int Unpack(ReadOnlySpan<byte> packed, Span<long> numbers)
    {
        Span<byte> bytes = stackalloc byte[BufferBytes];
        packed[..PackedBytes].CopyTo(bytes);
        ulong mask = Width == 64 ? ulong.MaxValue : (1UL << Width) - 1;
        long number = First;
        numbers[0] = number;
        int bit = 0;
        for (int i = 1; i < Count; i++, bit += Width)
        {
            int shift = bit % 8;
            ulong difference = Unsafe.ReadUnaligned<ulong>(ref bytes[bit / 8]) >> shift;
            if (shift + Width > 64)
                difference |= (ulong)bytes[bit / 8 + 8] << (64 - shift);
            number = unchecked(number + (long)(difference & mask) + 1);
            numbers[i] = number;
        }
        return Count;
    }

    private static ulong Difference(ReadOnlySpan<long> numbers, int index) =>
        unchecked((ulong)numbers[index] - (ulong)numbers[index - 1] - 1);
}
