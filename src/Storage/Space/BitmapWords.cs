using System.Numerics;
using System.Runtime.Intrinsics;

namespace Jackdaw.Storage.Space;

/// <summary>Searching and changing the words of one group's bitmap. A set bit is a page in use; bit 0 of word 0 is the group's
/// first page.</summary>
internal static unsafe class BitmapWords
{
    public const int BitsPerWord = 64;

    private const int WordsPerVector = 4;

    /// <summary>The lowest clear bit in [from, limit), or -1.</summary>
    public static int FirstClear(ulong* words, int from, int limit)
    {
        if (from >= limit)
            return -1;
        int i = from / BitsPerWord;
        ulong free = ~words[i] & (ulong.MaxValue << (from % BitsPerWord));
        if (free == 0)
        {
            i = SkipFull(words, i + 1, (limit + BitsPerWord - 1) / BitsPerWord);
            if ((long)i * BitsPerWord >= limit)
                return -1;
            free = ~words[i];
        }
        int bit = i * BitsPerWord + BitOperations.TrailingZeroCount(free);
        return bit < limit ? bit : -1;
    }

    /// <summary>The lowest start in [from, limit) of <paramref name="count"/> clear bits that all lie below
    /// <paramref name="limit"/>, or -1.</summary>
    public static int FirstClearRun(ulong* words, int from, int limit, int count)
    {
        int end = (limit + BitsPerWord - 1) / BitsPerWord;
        int run = 0; // clear bits that directly precede word i
        for (int i = from / BitsPerWord; i < end; )
        {
            bool whole = i * BitsPerWord >= from && i + WordsPerVector <= end;
            if (whole)
            {
                var vector = Vector256.Load(words + i);
                if (vector == Vector256<ulong>.AllBitsSet)
                {
                    run = 0;
                    i += WordsPerVector;
                    continue;
                }
                if (vector == Vector256<ulong>.Zero)
                {
                    run += WordsPerVector * BitsPerWord;
                    i += WordsPerVector;
                    if (run >= count)
                        return WithinLimit(i * BitsPerWord - run, count, limit);
                    continue;
                }
            }
            for (int stop = whole ? i + WordsPerVector : i + 1; i < stop; i++)
            {
                ulong used = words[i];
                if (i * BitsPerWord < from)
                    used |= ~(ulong.MaxValue << (from % BitsPerWord));
                int start = StartInWord(used, i, run, count);
                if (start >= 0)
                    return WithinLimit(start, count, limit);
                run = used == 0 ? run + BitsPerWord : BitOperations.LeadingZeroCount(used);
            }
        }
        return -1;
    }

    /// <summary>The clear bits around [start, end), which must be clear; looks at most <paramref name="reach"/> words to either
    /// side.</summary>
    public static (int Start, int End, bool Whole) Surroundings(ulong* words, int start, int end, int limit, int reach)
    {
        bool whole = true;
        int floor = Math.Max(0, start / BitsPerWord - reach);
        int low = start;
        for (int i = start / BitsPerWord; ; i--)
        {
            ulong below = words[i];
            if (i == start / BitsPerWord)
                below &= ~(ulong.MaxValue << (start % BitsPerWord));
            low = i * BitsPerWord;
            if (below != 0)
            {
                low += BitsPerWord - BitOperations.LeadingZeroCount(below);
                break;
            }
            if (i == floor)
            {
                whole = floor == 0;
                break;
            }
        }
        int high = end;
        while (high < limit)
        {
            int i = high / BitsPerWord;
            ulong above = words[i] & (ulong.MaxValue << (high % BitsPerWord));
            if (above != 0)
            {
                high = i * BitsPerWord + BitOperations.TrailingZeroCount(above);
                break;
            }
            high = (i + 1) * BitsPerWord;
            if (i - end / BitsPerWord >= reach)
            {
                whole &= high >= limit;
                break;
            }
        }
        return (low, Math.Min(high, limit), whole);
    }

    public static bool IsSet(ulong* words, int bit) => (words[bit / BitsPerWord] & (1UL << (bit % BitsPerWord))) != 0;

    /// <summary>True when all bits of [start, start + count) are set (<paramref name="set"/>) or clear (not
    /// <paramref name="set"/>).</summary>
    public static bool AllAre(ulong* words, int start, int count, bool set)
    {
        while (count > 0)
        {
            ulong mask = MaskOf(start, count, out int taken);
            if ((words[start / BitsPerWord] & mask) != (set ? mask : 0))
                return false;
            start += taken;
            count -= taken;
        }
        return true;
    }

    public static void Set(ulong* words, int start, int count)
    {
        while (count > 0)
        {
            words[start / BitsPerWord] |= MaskOf(start, count, out int taken);
            start += taken;
            count -= taken;
        }
    }

    public static void Clear(ulong* words, int start, int count)
    {
        while (count > 0)
        {
            words[start / BitsPerWord] &= ~MaskOf(start, count, out int taken);
            start += taken;
            count -= taken;
        }
    }

    private static int SkipFull(ulong* words, int i, int end)
    {
        while (i + WordsPerVector <= end && Vector256.Load(words + i) == Vector256<ulong>.AllBitsSet)
            i += WordsPerVector;
        while (i < end && words[i] == ulong.MaxValue)
            i++;
        return i;
    }

    private static int StartInWord(ulong used, int word, int run, int count)
    {
        int tail = BitOperations.TrailingZeroCount(used); // 64 when the word is wholly clear
        if (run + tail >= count)
            return word * BitsPerWord - run;
        if (count > BitsPerWord)
            return -1;
        ulong starts = ~used;
        for (int have = 1; have < count && starts != 0; )
        {
            int step = Math.Min(have, count - have);
            starts &= starts >> step;
            have += step;
        }
        return starts == 0 ? -1 : word * BitsPerWord + BitOperations.TrailingZeroCount(starts);
    }

    // Starts are found in ascending order, so one that reaches past the limit means that there is none.
    private static int WithinLimit(int start, int count, int limit) => start + count <= limit ? start : -1;

    private static ulong MaskOf(int start, int count, out int taken)
    {
        int shift = start % BitsPerWord;
        taken = Math.Min(count, BitsPerWord - shift);
        return (ulong.MaxValue >> (BitsPerWord - taken)) << shift;
    }
}
