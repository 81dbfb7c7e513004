using System.Runtime.CompilerServices;
using Jackdaw.Storage.Pages;

namespace Jackdaw.Storage.Trees;

/// <summary>Searching a page whose lines are not in the processor's caches: each line that is compared costs a wait for memory.</summary>
/// <remarks>
/// A binary search compares slots on a different line at each of its first steps. Where the keys of a page are spread evenly, as numbers in
/// ascending order are, the first and the last slot tell where a key is. So they do where keys end in decimal digits, as most ids do.
/// </remarks>
internal readonly unsafe partial struct TreePage
{
    /// <summary>In the place of a guess: the keys are spread unevenly, and a binary search compares less.</summary>
    public const int NoGuess = -1;

    /// <summary>With fewer entries there is nothing to guess: their slots lie on a few lines.</summary>
    private const int FewestToGuess = 2 * CacheLines.Bytes / TreeSlot.Size;

    /// <summary>Asks for what <see cref="Guess"/> reads; the page's first line has come by now.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void FetchLastSlot() => CacheLines.Fetch((byte*)(Slots + Count) - 1);

    /// <summary>
    /// Returns the slot near which <paramref name="key"/> lies if it is on the page, or <see cref="NoGuess"/>. It reads only the page's
    /// first line and its last slot. Whatever it returns, <see cref="LowerBoundNear"/> finds the same.
    /// </summary>
    /// <param name="key">What is looked for.</param>
    /// <param name="first">The first slot with a key.</param>
    public int Guess(ReadOnlySpan<byte> key, int first)
    {
        int last = Count - 1;
        int prefixLength = PrefixLength;
        if (last - first < FewestToGuess || key.Length < prefixLength)
            return first;
        var slots = Slots;
        ulong head = TreeKey.Head(key[prefixLength..]);
        ulong lowest = slots[first].Head;
        ulong highest = slots[last].Head;
        if (head <= lowest)
            return first;
        if (head >= highest)
            return last;
        var steps = (ulong)(last - first);
        // If all steps were like the first one.
        ulong even = (slots[first + 1].Head - lowest) * steps;
        ulong range = highest - lowest;
        if (even < range / 2 || even > range * 2)
        {
            if (!IsDigit((uint)lowest >> 24) || !IsDigit((uint)highest >> 24))
                return NoGuess;
            lowest = DecimalOf((uint)lowest);
            highest = DecimalOf((uint)highest);
            // Behind a letter, ranks may go down.
            if (highest <= lowest)
                return NoGuess;
            range = highest - lowest;
            head = Math.Clamp(DecimalOf((uint)head), lowest, highest);
        }
        return first + (int)((head - lowest) * steps / range);
    }

    private static bool IsDigit(uint character) => character - '0' < 10;

    /// <summary>The decimal number that a head's digits make. Another character counts as 0 or 9, the end of the key as zeros.</summary>
    private static uint DecimalOf(uint head)
    {
        uint rank = 0;
        for (int shift = 24; shift >= 0; shift -= 8)
            rank = rank * 10 + (uint)Math.Clamp((int)(head >> shift & 0xFF) - '0', 0, 9);
        return rank;
    }

    /// <summary>Asks for the line of slots in which a guess lies.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void FetchNear(int guess) => CacheLines.Fetch((byte*)(Slots + guess));

    /// <summary>As <see cref="LowerBound"/>, beginning at a guess: the nearer it is, the fewer slots are compared.</summary>
    /// <param name="key">What is looked for.</param>
    /// <param name="first">The first slot with a key.</param>
    /// <param name="guess">A slot from <paramref name="first"/> on, or <see cref="NoGuess"/>.</param>
    /// <param name="exact">The key is there.</param>
    public int LowerBoundNear(ReadOnlySpan<byte> key, int first, int guess, out bool exact)
    {
        int count = Count;
        if (guess == NoGuess || guess >= count)
            return LowerBound(key, first, out exact);
        exact = false;
        int prefixLength = PrefixLength;
        if (prefixLength != 0 && !key.StartsWith(Prefix))
            return ComparePrefix(key) < 0 ? first : count;
        var suffix = key[prefixLength..];
        uint head = TreeKey.Head(suffix);
        int at = HeadLowerBoundNear(head, first, guess, count);
        if (at == count || Slots[at].Head != head)
            return at;
        return LowerBoundAmongEqualHeads(suffix, head, at, count, out exact);
    }

    private int HeadLowerBoundNear(uint head, int first, int guess, int count)
    {
        var slots = Slots;
        int step = 1;
        if (slots[guess].Head < head)
        {
            int low = guess + 1;
            for (; low + step <= count && slots[low + step - 1].Head < head; step *= 2)
                low += step;
            return HeadLowerBound(head, low, Math.Min(low + step - 1, count));
        }
        int high = guess;
        for (; high - step >= first && slots[high - step].Head >= head; step *= 2)
            high -= step;
        return HeadLowerBound(head, Math.Max(first, high - step + 1), high);
    }
}
