using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;

namespace Jackdaw.Search.Postings;

/// <summary>Ascending lists of ids without duplicates. What uses vectors gives what its plain twin gives.</summary>
internal static class SortedIds
{
    /// <summary>From this ratio of lengths on, searching for each id of the short list is cheaper than a walk through both.</summary>
    private const int GallopRatio = 16;

    /// <summary>Returns how many ids are before <paramref name="id"/>.</summary>
    public static int LowerBound(ReadOnlySpan<long> ids, long id)
    {
        // Halving without branches on what is compared, and the rest at once.
        int from = 0;
        int left = ids.Length;
        while (left > 16)
        {
            int half = left >> 1;
            from = ids[from + half - 1] < id ? from + half : from;
            left -= half;
        }
        return from + CountBefore(ids.Slice(from, left), id);
    }

    /// <summary>The same by a search that begins at the start and doubles its step: cheap where the answer is near.</summary>
    public static int Gallop(ReadOnlySpan<long> ids, long id)
    {
        int step = 16;
        int from = 0;
        while (from + step <= ids.Length && ids[from + step - 1] < id)
        {
            from += step;
            step *= 2;
        }
        return from + LowerBound(ids.Slice(from, Math.Min(step, ids.Length - from)), id);
    }

    /// <summary>Keeps the ids of <paramref name="ids"/> that are in <paramref name="others"/>, at the front; returns how many.</summary>
    public static int Intersect(Span<long> ids, ReadOnlySpan<long> others)
    {
        if ((long)ids.Length * GallopRatio < others.Length)
            return IntersectGalloping(ids, others);
        if (Vector512.IsHardwareAccelerated)
            return Intersect512(ids, others);
        return Vector256.IsHardwareAccelerated ? Intersect256(ids, others) : IntersectPlain(ids, others);
    }

    /// <summary>Removes the ids of <paramref name="ids"/> that are in <paramref name="others"/>; returns how many are left.</summary>
    public static int Except(Span<long> ids, ReadOnlySpan<long> others)
    {
        int kept = 0;
        int other = 0;
        foreach (long id in ids)
        {
            other += Gallop(others[other..], id);
            if (other < others.Length && others[other] == id)
                continue;
            ids[kept++] = id;
        }
        return kept;
    }

    /// <summary>The plain twin of <see cref="Intersect"/>.</summary>
    internal static int IntersectPlain(Span<long> ids, ReadOnlySpan<long> others)
    {
        int kept = 0;
        int i = 0;
        int j = 0;
        while (i < ids.Length && j < others.Length)
        {
            long id = ids[i];
            long other = others[j];
            ids[kept] = id;
            kept += id == other ? 1 : 0;
            i += id <= other ? 1 : 0;
            j += other <= id ? 1 : 0;
        }
        return kept;
    }

    internal static int IntersectGalloping(Span<long> ids, ReadOnlySpan<long> others)
    {
        int kept = 0;
        int other = 0;
        foreach (long id in ids)
        {
            other += Gallop(others[other..], id);
            if (other == others.Length)
                break;
            if (others[other] == id)
                ids[kept++] = id;
        }
        return kept;
    }

    /// <summary>Each four of one list against each four of the other, then the four that end first are left behind.</summary>
    internal static int Intersect256(Span<long> ids, ReadOnlySpan<long> others)
    {
        int width = Vector256<long>.Count;
        ref long mine = ref MemoryMarshal.GetReference(ids);
        ref long theirs = ref MemoryMarshal.GetReference(others);
        int kept = 0;
        int i = 0;
        int j = 0;
        uint found = 0;
        while (i + width <= ids.Length && j + width <= others.Length)
        {
            var a = Vector256.LoadUnsafe(ref mine, (nuint)i);
            var b = Vector256.LoadUnsafe(ref theirs, (nuint)j);
            var equal = Vector256.Equals(a, b);
            equal |= Vector256.Equals(a, Vector256.Shuffle(b, Vector256.Create(1L, 2, 3, 0)));
            equal |= Vector256.Equals(a, Vector256.Shuffle(b, Vector256.Create(2L, 3, 0, 1)));
            equal |= Vector256.Equals(a, Vector256.Shuffle(b, Vector256.Create(3L, 0, 1, 2)));
            found |= Vector256.ExtractMostSignificantBits(equal);
            long lastOfMine = ids[i + width - 1];
            long lastOfTheirs = others[j + width - 1];
            if (lastOfMine <= lastOfTheirs)
            {
                kept = Keep(ref mine, i, found, kept);
                found = 0;
                i += width;
            }
            j += lastOfTheirs <= lastOfMine ? width : 0;
        }
        return IntersectRest(ids, others, i, j, found, kept);
    }

    /// <summary>The same with eight of each.</summary>
    internal static int Intersect512(Span<long> ids, ReadOnlySpan<long> others)
    {
        int width = Vector512<long>.Count;
        ref long mine = ref MemoryMarshal.GetReference(ids);
        ref long theirs = ref MemoryMarshal.GetReference(others);
        int kept = 0;
        int i = 0;
        int j = 0;
        uint found = 0;
        while (i + width <= ids.Length && j + width <= others.Length)
        {
            var a = Vector512.LoadUnsafe(ref mine, (nuint)i);
            var b = Vector512.LoadUnsafe(ref theirs, (nuint)j);
            var equal = Vector512.Equals(a, b);
            for (int turn = 1; turn < width; turn++)
            {
                b = Vector512.Shuffle(b, Vector512.Create(1L, 2, 3, 4, 5, 6, 7, 0));
                equal |= Vector512.Equals(a, b);
            }
            found |= (uint)Vector512.ExtractMostSignificantBits(equal);
            long lastOfMine = ids[i + width - 1];
            long lastOfTheirs = others[j + width - 1];
            if (lastOfMine <= lastOfTheirs)
            {
                kept = Keep(ref mine, i, found, kept);
                found = 0;
                i += width;
            }
            j += lastOfTheirs <= lastOfMine ? width : 0;
        }
        return IntersectRest(ids, others, i, j, found, kept);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static int Keep(ref long ids, int from, uint found, int kept)
    {
        for (; found != 0; found &= found - 1)
            Unsafe.Add(ref ids, kept++) = Unsafe.Add(ref ids, from + BitOperations.TrailingZeroCount(found));
        return kept;
    }

    /// <summary>The ends that fill no vector. Of the ids from <paramref name="i"/> on, those whose bit is set were found before.</summary>
    private static int IntersectRest(Span<long> ids, ReadOnlySpan<long> others, int i, int j, uint found, int kept)
    {
        for (int bit = 0; i < ids.Length; i++, bit++)
        {
            long id = ids[i];
            bool wasFound = bit < 32 && (found >> bit & 1) != 0;
            while (j < others.Length && others[j] < id)
                j++;
            if (wasFound || (j < others.Length && others[j] == id))
                ids[kept++] = id;
        }
        return kept;
    }

    private static int CountBefore(ReadOnlySpan<long> ids, long id)
    {
        int count = 0;
        int i = 0;
        if (Vector256.IsHardwareAccelerated)
        {
            var bound = Vector256.Create(id);
            for (; i + Vector256<long>.Count <= ids.Length; i += Vector256<long>.Count)
            {
                var before = Vector256.LessThan(Vector256.Create(ids.Slice(i, Vector256<long>.Count)), bound);
                count += BitOperations.PopCount(Vector256.ExtractMostSignificantBits(before));
            }
        }
        for (; i < ids.Length; i++)
            count += ids[i] < id ? 1 : 0;
        return count;
    }
}
