using System.Runtime.CompilerServices;
using Jackdaw.Storage;

namespace Jackdaw.Search;

/// <summary>LEB128: seven bits a byte, the lowest first; the eighth bit says that more follow.</summary>
internal static class VarInt
{
    /// <summary>Bytes of the longest number.</summary>
    public const int MaxBytes = 10;

    /// <summary>Returns how many bytes the number takes.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Size(ulong value) => (63 - System.Numerics.BitOperations.LeadingZeroCount(value | 1)) / 7 + 1;

    /// <summary>Writes the number at <paramref name="at"/> and moves it behind.</summary>
    public static void Write(Span<byte> destination, ref int at, ulong value)
    {
        while (value >= 0x80)
        {
            destination[at++] = (byte)(value | 0x80);
            value >>= 7;
        }
        destination[at++] = (byte)value;
    }

    /// <summary>Reads the number at <paramref name="at"/> and moves it behind.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Read(ReadOnlySpan<byte> source, ref int at)
    {
        byte first = source[at++];
        return first < 0x80 ? first : ReadLong(source, ref at, first);
    }

    private static ulong ReadLong(ReadOnlySpan<byte> source, ref int at, ulong value)
    {
        value &= 0x7F;
        for (int shift = 7; ; shift += 7)
        {
            Invariant.Require(shift < 64);
            byte next = source[at++];
            value |= (ulong)(next & 0x7F) << shift;
            if (next < 0x80)
                return value;
        }
    }
}
