using System.Security.Cryptography;
using Jackdaw.Storage;

namespace Jackdaw.Search.Dictionary;

/// <summary>Keys of marks and text terms. Layout: docs/search-format.md, "Keys of terms".</summary>
internal static class TextKey
{
    /// <summary>Bytes of the longest key.</summary>
    public const int MaxBytes = 1 + SearchLimits.MaxWholeTermBytes;

    private const byte MarkByte = 0;
    private const byte WholeByte = 1;
    private const byte CutByte = 2;
    private const int HashBytes = 16;

    /// <summary>Bytes before the term's own in the key of a term that is whole.</summary>
    public const int WholePrefixBytes = 1;

    private static readonly byte[][] s_marks =
    [
        [],
        [MarkByte, 1],
        [MarkByte, 2],
        [MarkByte, 3],
    ];

    /// <summary>The key that all keys of terms are behind: those before it are marks.</summary>
    public static ReadOnlySpan<byte> First => [WholeByte];

    /// <summary>The key that all keys of whole terms are before, and all keys of cut ones not.</summary>
    public static ReadOnlySpan<byte> FirstCut => [CutByte];

    /// <summary>The key of a mark.</summary>
    public static ReadOnlySpan<byte> Of(TermMark mark) => s_marks[(int)mark];

    /// <summary>Writes the key of a term; returns its length.</summary>
    public static int Write(ReadOnlySpan<byte> term, Span<byte> destination)
    {
        if (term.Length <= SearchLimits.MaxWholeTermBytes)
        {
            destination[0] = WholeByte;
            term.CopyTo(destination[1..]);
            return 1 + term.Length;
        }
        destination[0] = CutByte;
        term[..SearchLimits.CutTermPrefixBytes].CopyTo(destination[1..]);
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(term, hash);
        hash[..HashBytes].CopyTo(destination[(1 + SearchLimits.CutTermPrefixBytes)..]);
        return 1 + SearchLimits.CutTermPrefixBytes + HashBytes;
    }

    /// <summary>Numbers from here on are of marks.</summary>
    public const uint FirstMarkNumber = uint.MaxValue - 15;

    /// <summary>The number of a mark, under which its large set lies.</summary>
    public static uint NumberOf(TermMark mark) => FirstMarkNumber + (uint)mark;

    public static bool IsMark(ReadOnlySpan<byte> key) => key[0] == MarkByte;

    /// <summary>The mark of a key that <see cref="IsMark"/>.</summary>
    public static TermMark MarkOf(ReadOnlySpan<byte> key)
    {
        Invariant.Require(key.Length == 2 && key[0] == MarkByte && key[1] is >= 1 and <= 3);
        return (TermMark)key[1];
    }

    /// <summary>Is the term cut: are only its first bytes and its hash known?</summary>
    public static bool IsCut(ReadOnlySpan<byte> key) => key[0] == CutByte;

    /// <summary>The term, or the bytes that are kept of one that is cut.</summary>
    public static ReadOnlySpan<byte> TermOf(ReadOnlySpan<byte> key) =>
        IsCut(key) ? key.Slice(1, SearchLimits.CutTermPrefixBytes) : key[WholePrefixBytes..];

    /// <summary>Says what makes a key impossible; null when nothing does.</summary>
    public static string? ProblemOf(ReadOnlySpan<byte> key) =>
        key[0] switch
        {
            MarkByte when key.Length == 2 && key[1] is >= 1 and <= 3 => null,
            WholeByte when key.Length <= MaxBytes => null,
            CutByte when key.Length == 1 + SearchLimits.CutTermPrefixBytes + HashBytes => null,
            _ => "is no mark and no term",
        };
}
