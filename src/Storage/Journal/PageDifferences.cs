using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Journal;

/// <summary>
/// What changed in a page: a list of (2 bytes offset, 2 bytes length, new bytes). Lists of new bytes rather than XOR, so that
/// they may be laid
/// over any version of the page that recovery can meet, in order, and give the final one. The checksum field is never among them.
/// </summary>
internal static unsafe class PageDifferences
{
    public const int DifferenceHeaderBytes = 4;

    /// <summary>A list longer than this is not worth it; the page is journaled whole.</summary>
    public const int MaxListBytes = PageLayout.PageSize * 3 / 4;

    /// <summary>Equal bytes between two differences that cost more as a difference of their own than as part of one.</summary>
    private const int MergeGap = 8;

    /// <summary>More ranges than a page can hold: each has a byte and MergeGap equal ones after it.</summary>
    public const int MaxRanges = PageLayout.PageSize / (MergeGap + 1) + 2;

    private const int ChecksumBytes = 4;

    /// <summary>
    /// Finds the ranges in which two single pages differ, in ascending order, as (start | end &lt;&lt; 16). Returns how many
    /// there are and the
    /// bytes that the list takes, or -1 when it would take more than <paramref name="maxListBytes"/>.
    /// </summary>
    public static int Find(byte* old, byte* @new, uint* ranges, int maxListBytes, out int listBytes)
    {
        var count = 0;
        listBytes = 0;
        var start = 0;
        var end = -MergeGap - 1;
        for (var at = 0; at < PageLayout.PageSize; at += 256)
        {
            if (Equal256(old + at, @new + at))
                continue;
            for (var chunk = at; chunk < at + 256; chunk += 64)
            {
                var mask = DifferenceMask(old + chunk, @new + chunk);
                if (chunk == 0)
                    mask &= ulong.MaxValue << ChecksumBytes;
                for (var position = chunk; mask != 0; )
                {
                    var skip = BitOperations.TrailingZeroCount(mask);
                    mask >>= skip;
                    position += skip;
                    var length = BitOperations.TrailingZeroCount(~mask);
                    if (position - end > MergeGap)
                    {
                        if (end > 0)
                        {
                            ranges[count++] = (uint)start | (uint)end << 16;
                            listBytes += DifferenceHeaderBytes + end - start;
                            if (listBytes > maxListBytes)
                                return -1;
                        }
                        start = position;
                    }
                    position += length;
                    end = position;
                    mask = length == 64 ? 0 : mask >> length;
                }
            }
        }
        if (end > 0)
        {
            ranges[count++] = (uint)start | (uint)end << 16;
            listBytes += DifferenceHeaderBytes + end - start;
        }
        Invariant.Require(count <= MaxRanges);
        return listBytes > maxListBytes ? -1 : count;
    }

    /// <summary>Lays a list over a page. False, leaving the page in part changed, when the list does not lie within a page or is
    /// cut off.</summary>
    public static bool TryApply(byte* page, byte* list, int listBytes, int count)
    {
        var end = list + listBytes;
        for (var i = 0; i < count; i++)
        {
            if (end - list < DifferenceHeaderBytes)
                return false;
            int offset = Unsafe.ReadUnaligned<ushort>(list);
            int length = Unsafe.ReadUnaligned<ushort>(list + 2);
            list += DifferenceHeaderBytes;
            if (!IsWithinPage(offset, length) || length > end - list)
                return false;
            Unsafe.CopyBlockUnaligned(page + offset, list, (uint)length);
            list += length;
        }
        return list == end;
    }

    public static bool IsWithinPage(int offset, int length) => offset >= ChecksumBytes && length <= PageLayout.PageSize - offset;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool Equal256(byte* a, byte* b)
    {
        if (Vector512.IsHardwareAccelerated)
        {
            var d0 = Vector512.Load(a) ^ Vector512.Load(b);
            var d1 = Vector512.Load(a + 64) ^ Vector512.Load(b + 64);
            var d2 = Vector512.Load(a + 128) ^ Vector512.Load(b + 128);
            var d3 = Vector512.Load(a + 192) ^ Vector512.Load(b + 192);
            return (d0 | d1 | d2 | d3) == Vector512<byte>.Zero;
        }
        var difference = Vector256<byte>.Zero;
        for (var i = 0; i < 256; i += 64)
        {
            difference |= Vector256.Load(a + i) ^ Vector256.Load(b + i);
            difference |= Vector256.Load(a + i + 32) ^ Vector256.Load(b + i + 32);
        }
        return difference == Vector256<byte>.Zero;
    }

    /// <summary>Bit i: byte i of 64 differs.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong DifferenceMask(byte* a, byte* b)
    {
        if (Vector512.IsHardwareAccelerated)
            return ~Vector512.Equals(Vector512.Load(a), Vector512.Load(b)).ExtractMostSignificantBits();
        ulong low = Vector256.Equals(Vector256.Load(a), Vector256.Load(b)).ExtractMostSignificantBits();
        ulong high = Vector256.Equals(Vector256.Load(a + 32), Vector256.Load(b + 32)).ExtractMostSignificantBits();
        return ~(low | high << 32);
    }
}
