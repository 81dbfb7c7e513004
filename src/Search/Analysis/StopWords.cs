namespace Jackdaw.Search.Analysis;

/// <summary>English words that are in nearly every text.</summary>
internal static class StopWords
{
    private const int LongestBytes = 5;

    private static readonly HashSet<ulong> s_words =
    [
        .. (
            "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was "
            + "will with"
        )
            .Split(' ')
            .Select(word => Pack(System.Text.Encoding.ASCII.GetBytes(word))),
    ];

    public static bool Contains(ReadOnlySpan<byte> word) => word.Length <= LongestBytes && s_words.Contains(Pack(word));

    private static ulong Pack(ReadOnlySpan<byte> word)
    {
        ulong packed = 0;
        foreach (byte letter in word)
            packed = (packed << 8) | letter;
        return packed;
    }
}
