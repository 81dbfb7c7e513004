namespace Jackdaw.Search.Ordering;

/// <summary>Texts in which runs of digits count as numbers: <c>item2</c> is before <c>item10</c>.</summary>
internal static class AlphaNumericOrder
{
    /// <summary>Compares two texts in UTF-8. Numbers with more leading zeros come later; equal only where the bytes are.</summary>
    public static int Compare(ReadOnlySpan<byte> a, ReadOnlySpan<byte> b)
    {
        int i = 0;
        int j = 0;
        while (i < a.Length && j < b.Length)
        {
            if (IsDigit(a[i]) && IsDigit(b[j]))
            {
                int order = Digits(a, ref i).SequenceCompareTo(Digits(b, ref j), out int lengths);
                if (lengths != 0 || order != 0)
                    return lengths != 0 ? lengths : order;
                continue;
            }
            if (a[i] != b[j])
                return a[i].CompareTo(b[j]);
            i++;
            j++;
        }
        int rest = (a.Length - i).CompareTo(b.Length - j);
        // Same text and numbers: leading zeros tell them apart.
        return rest != 0 ? rest
            : a.Length != b.Length ? a.Length.CompareTo(b.Length)
            : a.SequenceCompareTo(b);
    }

    private static bool IsDigit(byte c) => c is >= (byte)'0' and <= (byte)'9';

    /// <summary>The run of digits, without its leading zeros.</summary>
    private static ReadOnlySpan<byte> Digits(ReadOnlySpan<byte> text, ref int at)
    {
        while (at < text.Length && text[at] == '0')
            at++;
        int from = at;
        while (at < text.Length && IsDigit(text[at]))
            at++;
        return text[from..at];
    }

    private static int SequenceCompareTo(this ReadOnlySpan<byte> a, ReadOnlySpan<byte> b, out int lengths)
    {
        lengths = a.Length.CompareTo(b.Length);
        return a.SequenceCompareTo(b);
    }
}
