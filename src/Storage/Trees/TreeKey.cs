using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace Jackdaw.Storage.Trees;

/// <summary>Arithmetic on keys, which are ordered by their bytes, a shorter one before its extensions.</summary>
internal static class TreeKey
{
    /// <summary>
    /// The first four bytes as a big-endian number, zeros where the key ends: heads compare as the keys do, except that equal
    /// heads decide nothing.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static uint Head(ReadOnlySpan<byte> suffix)
    {
        if (suffix.Length >= 4)
            return BinaryPrimitives.ReadUInt32BigEndian(suffix);
        uint head = 0;
        for (int i = 0; i < suffix.Length; i++)
            head |= (uint)suffix[i] << (24 - 8 * i);
        return head;
    }

    /// <summary>
    /// Length of the shortest start of <paramref name="next"/> that is after <paramref name="previous"/>: what a branch needs to
    /// tell them apart.
    /// </summary>
    public static int SeparatorLength(ReadOnlySpan<byte> previous, ReadOnlySpan<byte> next)
    {
        int common = previous.CommonPrefixLength(next);
        Invariant.Require(common < next.Length);
        return common + 1;
    }
}
