using Jackdaw.Storage.Trees;

namespace Jackdaw.Search.Matching;

/// <summary>Terms of one tree that follow each other.</summary>
/// <param name="Tree">A dictionary.</param>
/// <param name="From">Key of the first; any bytes, also none.</param>
/// <param name="To">What all keys are before.</param>
/// <param name="AreNumbers">The tree is that of the field's numbers.</param>
internal readonly record struct TermSegment(BTree Tree, byte[] From, byte[] To, bool AreNumbers)
{
    /// <summary>How many terms there are, once that was measured; null before.</summary>
    public long? Terms { get; init; }

    /// <summary>Behind every number's key.</summary>
    public static byte[] BehindNumbers { get; } = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF];

    /// <summary>Behind every text's key, marks too.</summary>
    public static byte[] BehindTexts { get; } = [3];

    /// <summary>The first key behind a key.</summary>
    public static byte[] After(ReadOnlySpan<byte> key) => [.. key, 0];

    /// <summary>The first key behind all that begin with <paramref name="prefix"/>, which has a byte below 255.</summary>
    public static byte[] AfterPrefix(ReadOnlySpan<byte> prefix)
    {
        int length = prefix.LastIndexOfAnyExcept((byte)0xFF) + 1;
        byte[] after = prefix[..length].ToArray();
        after[^1]++;
        return after;
    }

    /// <summary>How many terms there are, and how many postings they have together. Two look-ups.</summary>
    public (long Terms, long Postings) Measure() => Tree.CountAndSumRange(From, To);
}
